// An mqtt.js client over a WebSocket: it connects, subscribes to its commands, publishes on a topic of another system, and says
// what became of it, a JSON object a line.
const mqtt = require(`${process.env.CLIENTS}/node_modules/mqtt`);

const { URL, VERSION, BASE, MAC, SECRET } = process.env;
const say = (what) => console.log(JSON.stringify(what));

const made = mqtt.connect(URL, {
  protocolVersion: Number(VERSION),
  clientId: `js-web-${VERSION}`,
  username: MAC,
  password: SECRET,
  reconnectPeriod: 0,
});
made.on('error', (error) => {
  say({ refused: error.code ?? error.message });
  made.end(true);
});
made.on('connect', () => {
  made.subscribe(`${BASE}command`, { qos: 1 }, (_, granted) => {
    // More than a frame's worth, to be read in one piece.
    const AM2301 = { Temperature: 18.5, Note: 'x'.repeat(100_000) };
    made.publish(`tele/js${VERSION}/SENSOR`, JSON.stringify({ AM2301 }), { qos: 1 }, (failed) => {
      say({ granted: granted.map(({ qos }) => qos), acked: !failed });
      made.end(false, {}, () => say({ done: true }));
    });
  });
});
