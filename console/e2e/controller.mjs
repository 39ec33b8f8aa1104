// A controller in the field that a test holds in its hand: it registers as an asset of the demo's farm, speaks MQTT 3.1.1
// over a plain socket (the few packets that a controller needs), and answers each device's commands as it is told to.
import { once } from 'node:events';
import { connect } from 'node:net';
import { FARM } from './api.mjs';

const CONNECT = 0x10;
const PUBLISH = 0x30;
const PUBACK = 0x40;
const SUBSCRIBE = 0x82;
const KEEP_ALIVE_S = 600;

const text = (value) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
};

function packet(head, ...parts) {
  const body = Buffer.concat(parts);
  const length = [];
  let rest = body.length;
  do {
    const more = rest > 127;
    length.push((rest & 0x7f) | (more ? 0x80 : 0));
    rest >>= 7;
  } while (rest > 0);
  return Buffer.concat([Buffer.from([head, ...length]), body]);
}

/** The whole packets at the beginning of a buffer, and what is left of it. */
function packets(buffer) {
  const found = [];
  let rest = buffer;
  while (rest.length >= 2) {
    let length = 0;
    let at = 1;
    for (; ; at += 1) {
      if (at >= rest.length) return { found, rest };
      length |= (rest[at] & 0x7f) << (7 * (at - 1));
      if (rest[at] < 128) break;
    }
    const end = at + 1 + length;
    if (rest.length < end) break;
    found.push({ head: rest[0], body: rest.subarray(at + 1, end) });
    rest = rest.subarray(end);
  }
  return { found, rest };
}

/**
 * Registers a polyhouse controller by the api (`ask` is that of a stage) and connects it. `devices` are as in the protocol's
 * `state`; each may carry `answer`: `obey` (the default: ack, then report), `ack` (and report nothing), `refuse`, or `ignore`.
 * One that is `foreign` speaks no word of the protocol; what comes by its `filter` is `heard`. It stands in a new polyhouse of the
 * demo's farm unless a `farmId` and a `polyhouseId` are given.
 */
export async function fieldController(
  ask,
  {
    name,
    mac,
    // The owner has two farms: without a name it would be the first of them.
    farmId = FARM.split('/').at(-1),
    polyhouseId,
    devices = [],
    sensors = [],
    foreign = false,
    filter,
    heard,
  },
) {
  const { assets } = await ask('owner', 'POST', '/onboarding/assets', {
    farmId,
    assets: [{ type: 'POLYHOUSE', name, macid: mac, polyhouseId }],
  });
  const { mqtt } = assets[0];
  const [host, port] = mqtt.address.split(':');
  const socket = connect(Number(port), host);
  await once(socket, 'connect');
  let waiting = Buffer.alloc(0);
  let packetId = 0;
  let underWay = 0;
  let acknowledged = () => {};
  let connected;
  const ready = new Promise((resolve) => {
    connected = resolve;
  });
  const next = () => {
    packetId = (packetId % 65_535) + 1;
    return Buffer.from([packetId >> 8, packetId & 0xff]);
  };
  const send = (topic, payload, retain = false) => {
    underWay += 1;
    socket.write(packet(PUBLISH | 2 | (retain ? 1 : 0), text(topic), next(), Buffer.from(payload)));
  };
  const publish = (topic, message, retain) => send(`${mqtt.topic}${topic}`, JSON.stringify(message), retain);
  const report = (more = {}) =>
    publish(
      'state',
      { online: true, sensors, devices: devices.map(({ answer: _, ...device }) => device), ...more },
      true,
    );

  function obey(command) {
    const device = devices.find(({ id }) => id === command.device_id);
    const answer = device?.answer ?? 'obey';
    if (!device || answer === 'ignore' || command.cmd_type === 'renew') return;
    const refused = answer === 'refuse';
    publish('ack', {
      command_id: command.command_id,
      status: refused ? 'failure' : 'ack',
      ...(refused && { message: 'dry run protection' }),
    });
    if (answer !== 'obey') return;
    if (command.cmd_type !== 'release') {
      device.on = command.cmd_type === 'pulse' || command.action.on === true;
      device.value = device.on ? (command.action.value ?? 100) : 0;
    }
    report();
  }

  socket.on('data', (chunk) => {
    const { found, rest } = packets(Buffer.concat([waiting, chunk]));
    waiting = rest;
    for (const { head, body } of found) {
      if ((head & 0xf0) === 0x20) connected(body[1]);
      if ((head & 0xf0) === PUBACK) {
        underWay -= 1;
        acknowledged();
      }
      if ((head & 0xf0) !== PUBLISH) continue;
      const topicEnd = 2 + body.readUInt16BE(0);
      const acked = (head & 0x06) !== 0;
      if (acked) socket.write(packet(PUBACK, body.subarray(topicEnd, topicEnd + 2)));
      const payload = body.subarray(topicEnd + (acked ? 2 : 0)).toString();
      if (foreign) heard(body.subarray(2, topicEnd).toString(), payload);
      else obey(JSON.parse(payload));
    }
  });
  socket.on('error', () => {});
  // User name, password, a clean session.
  const flags = 0x80 | 0x40 | 0x02;
  socket.write(
    packet(
      CONNECT,
      text('MQTT'),
      Buffer.from([4, flags, KEEP_ALIVE_S >> 8, KEEP_ALIVE_S & 0xff]),
      text(mqtt.username),
      text(mqtt.username),
      text(mqtt.password),
    ),
  );
  const code = await ready;
  if (code !== 0) throw new Error(`the server refused the controller: ${code}`);
  const subscribed = foreign ? filter : `${mqtt.topic}command`;
  if (subscribed) socket.write(packet(SUBSCRIBE, next(), text(subscribed), Buffer.from([1])));
  if (!foreign) report();
  return {
    devices,
    report,
    /** Reports a reading, or several at once, as of then. */
    measure: (reading, ts) => publish('telemetry', { ts, sensors: [reading].flat() }),
    /** Reports what it kept, of several instants: each with its `ts` and its `sensors`. */
    measureAll: (kept) => publish('telemetry', kept),
    /** Waits until at most so many messages are without their ack. */
    untilUnderWay: async (most) => {
      while (underWay > most)
        await new Promise((resolve) => {
          acknowledged = resolve;
        });
    },
    /** Publishes on a topic of another system. */
    say: (topic, payload) => send(topic, payload),
    /** Says that it goes, as its last will would. */
    goOffline: () => publish('state', { online: false }, true),
    close: () => socket.destroy(),
  };
}
