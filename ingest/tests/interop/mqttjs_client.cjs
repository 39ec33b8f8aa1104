// An mqtt.js client for the endpoint's interop tests: SCENARIO on the command line, a JSON object a line on stdout.
const mqtt = require(`${process.env.CLIENTS}/node_modules/mqtt`);

const { PORT, VERSION, BASE, MAC, SECRET } = process.env;
const v5 = VERSION === '5';
const say = (what) => console.log(JSON.stringify(what));

function client(clientId, clean, more = {}) {
  return mqtt.connect({
    host: '127.0.0.1',
    port: Number(PORT),
    protocolVersion: v5 ? 5 : 4,
    clientId,
    clean,
    username: MAC,
    password: SECRET,
    reconnectPeriod: 0,
    properties: v5 ? { sessionExpiryInterval: clean ? 0 : 300 } : undefined,
    ...more,
  });
}

const scenarios = {
  basic() {
    const made = client('js-basic', true);
    made.on('connect', (connack) => {
      say({ connected: connack.returnCode ?? connack.reasonCode });
      made.subscribe(`${BASE}command`, { qos: 1 }, (error, granted) => {
        say({ suback: granted.map((one) => one.qos) });
        made.publish(`${BASE}telemetry`, 'q0', { qos: 0 });
        made.publish(`${BASE}telemetry`, 'q1', { qos: 1 }, (failed) => say({ acked: !failed }));
      });
    });
    made.on('message', (_topic, payload, packet) => {
      say({ message: payload.toString(), qos: packet.qos });
      made.publish(`${BASE}ack`, payload, { qos: 1 }, () => made.end(false, {}, () => say({ done: true })));
    });
  },

  stay() {
    const will = { topic: `${BASE}state`, payload: '{"online": false}', qos: 1, retain: true };
    const made = client('js-keeper', false, { will });
    made.on('connect', (connack) => {
      if (connack.sessionPresent) say({ connected: 0, present: true });
      else made.subscribe(`${BASE}command`, { qos: 1 }, () => say({ connected: 0, present: false }));
    });
    made.on('message', (_topic, payload) => say({ message: payload.toString() }));
  },

  refused() {
    const made = client('js-refused', true, { password: 'wrong' });
    made.on('error', (error) => {
      say({ refused: error.code });
      made.end(true);
    });
  },

  limits() {
    const made = client('js-limits', true);
    made.on('connect', () => {
      made.subscribe('harit/1/green/+/command', { qos: 1 }, (error, granted, packet) => {
        say({ suback: packet ? packet.granted : granted.map((one) => one.qos) });
        made.publish('harit/1/green/A4CF120B9E02/telemetry', 'x', { qos: 1 }, (failed, answer) => {
          say({ puback: failed ? failed.code : (answer.reasonCode ?? 0) });
          made.publish(`${BASE}telemetry`, Buffer.alloc(1 << 20, 'x'), { qos: 1 }, () => {
            say({ oversized: 'acked' });
            made.end();
          });
        });
      });
    });
    made.on('disconnect', (packet) => {
      say({ oversized: packet.reasonCode });
      process.exit(0);
    });
    // mqtt.js knows the limit that it was told, and refuses by itself.
    made.on('error', (error) => {
      say({ oversized: /exceed/.test(error.message) ? 149 : error.message });
      process.exit(0);
    });
  },
};

scenarios[process.argv[2]]();
