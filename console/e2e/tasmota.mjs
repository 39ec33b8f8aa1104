// A Tasmota with a temperature sensor and one relay, as its documents say: https://tasmota.github.io/docs/MQTT/, /PulseTime/ and
// the discovery of version 9.2 on.
import { fieldController } from './controller.mjs';

/** PulseTime: tenths of a second up to here, from there on seconds and 100. */
const TENTHS_TO = 111;
const SAYS_EVERY_MS = 1_000;

/** Connects by an account that `typed` gives; `topic` is what was typed into the device's own page. */
export async function tasmota(typed, { mac, topic }) {
  let [on, pulse, degrees] = [false, 0, 29];
  let goesOff;
  const word = () => (on ? 'ON' : 'OFF');
  const result = (said) => field.say(`stat/${topic}/RESULT`, JSON.stringify(said));
  const power = (now) => {
    on = now;
    result({ POWER: word() });
    field.say(`stat/${topic}/POWER`, word());
  };
  const heard = (at, payload) => {
    const command = at.split('/').at(-1).toUpperCase();
    if (command === 'PULSETIME') {
      pulse = Number(payload);
      result({ PulseTime1: { Set: pulse, Remaining: pulse } });
    }
    if (command !== 'POWER') return;
    clearTimeout(goesOff);
    power(payload === 'ON');
    const ms = pulse > TENTHS_TO ? (pulse - 100) * 1_000 : pulse * 100;
    if (on && ms > 0) goesOff = setTimeout(() => power(false), ms);
  };
  const field = await fieldController(typed, {
    name: topic,
    mac,
    foreign: true,
    filter: `cmnd/${topic}/#`,
    heard,
  });
  const sensors = () => {
    degrees += 0.1;
    return {
      AM2301: { Temperature: Number(degrees.toFixed(1)), Humidity: 61, DewPoint: 20.7 },
      TempUnit: 'C',
    };
  };
  const Time = '2026-01-02T09:09:44';
  const config = {
    ip: '192.168.1.40',
    dn: 'Tasmota',
    fn: ['Tasmota', null, null, null, null, null, null, null],
    hn: `${topic}-1234`,
    mac,
    md: 'Generic',
    ofln: 'Offline',
    onln: 'Online',
    state: ['OFF', 'ON', 'TOGGLE', 'HOLD'],
    sw: '13.1.0',
    t: topic,
    ft: '%prefix%/%topic%/',
    tp: ['cmnd', 'stat', 'tele'],
    rl: [1, 0, 0, 0, 0, 0, 0, 0],
    ver: 1,
  };
  field.say(`tele/${topic}/LWT`, 'Online');
  field.say(`tasmota/discovery/${mac}/config`, JSON.stringify(config));
  field.say(`tasmota/discovery/${mac}/sensors`, JSON.stringify({ sn: { Time, ...sensors() }, ver: 1 }));
  field.say(`tele/${topic}/STATE`, JSON.stringify({ Time, Uptime: '0T00:00:11', POWER: word() }));
  const says = setInterval(
    () => field.say(`tele/${topic}/SENSOR`, JSON.stringify({ Time, ...sensors() })),
    SAYS_EVERY_MS,
  );
  return {
    close: () => {
      clearInterval(says);
      clearTimeout(goesOff);
      field.close();
    },
  };
}
