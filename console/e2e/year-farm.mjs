// A farm of the size that the console is held to: 6 houses, 200 sensors, 60 devices and 40 rules, with a year of history that
// its controllers report as what they kept while nobody heard them, and readings each second from then on.
import { askApi, registerByApi } from './api.mjs';
import { until } from './browser.mjs';
import { fieldController } from './controller.mjs';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const HOUSES = 6;
const SENSORS = 200;
const RULES = 40;
/** What is older than five minutes is history and moves no machine. */
const KEPT_UNTIL = 6 * MINUTE;
/** A message holds at most 4,096 values, a house has 34 sensors at most. */
const INSTANTS_A_MESSAGE = 100;
const MESSAGES_UNDER_WAY = 4;
/** So many are stored before more are sent: the server keeps two million values that its disk has not taken. */
const MESSAGES_A_LOOK = 15;

/** What is measured in a house, over and over: its type, its unit, its mean, how it goes by season and by day, how it jumps. */
const KINDS = [
  ['temperature', '°C', 24, 6, 7, 0.4],
  ['humidity', '%', 62, 10, 14, 1.5],
  ['soil_moisture', '%', 48, 5, 6, 0.8],
  ['temperature', '°C', 25, 6, 8, 0.4],
  ['soil_temperature', '°C', 21, 5, 2, 0.1],
  ['light_intensity', 'lux', 30_000, 5_000, 20_000, 900],
  ['soil_moisture', '%', 52, 4, 7, 0.8],
  ['co2_level', 'ppm', 600, 40, 150, 12],
  ['humidity', '%', 65, 9, 15, 1.5],
  ['leaf_wetness', '%', 35, 6, 20, 2],
];
const MACHINES = ['fan', 'fan', 'fan', 'fan', 'vent', 'vent', 'valve', 'valve', 'pump', 'fogger'];
const actions = [{ action: 'on' }, { action: 'off' }];

const share = (all, nth) => Math.floor((all * (nth + 1)) / HOUSES) - Math.floor((all * nth) / HOUSES);

/** The house's controller as it announces itself. */
function announced(nth) {
  return {
    name: `Controller ${nth + 1}`,
    mac: `AA:BB:CC:F0:00:0${nth + 1}`,
    sensors: Array.from({ length: share(SENSORS, nth) }, (_, n) => {
      const [type, unit] = KINDS[n % KINDS.length];
      return { id: `h${nth + 1}-${n + 1}`, type, unit };
    }),
    devices: MACHINES.map((type, n) => ({
      id: `h${nth + 1}-${type}-${n + 1}`,
      type,
      name: `House ${nth + 1} ${type} ${n + 1}`,
      supportedActions: actions,
      on: false,
      value: 0,
    })),
  };
}

/** What the sensors of a controller read at an instant. */
function readings(sensors, ts) {
  const year = Math.cos((2 * Math.PI * ts) / (365 * DAY));
  const day = -Math.cos((2 * Math.PI * ts) / DAY);
  return {
    ts,
    sensors: sensors.map(({ id }, n) => {
      const [, , mean, season, daily, jump] = KINDS[n % KINDS.length];
      const value = mean + n / 20 - season * year + daily * day + jump * (2 * Math.random() - 1);
      return { id, latestValue: Math.round(10 * value) / 10 };
    }),
  };
}

/** When the controllers read: each half hour of a year, each minute of its last day. */
function instants(now) {
  const found = [];
  for (let at = now - 365 * DAY; at < now - KEPT_UNTIL; at += at < now - DAY ? 30 * MINUTE : MINUTE)
    found.push(Math.floor(at / MINUTE) * MINUTE);
  return found;
}

/** Sends the year, oldest first; gives how many readings it was. */
async function sendYear(ask, farmId, fields) {
  const all = instants(Date.now());
  const isStored = (id, at) =>
    until(
      `${new Date(at).toISOString()} is stored`,
      async () => {
        const span = `from=${at}&to=${at + MINUTE}&step=60`;
        const { points } = await ask('', 'GET', `/api/farms/${farmId}/sensors/${id}/history?${span}`);
        return points.some(({ mean }) => mean !== null);
      },
      120_000,
    );
  for (let nth = 0; nth < all.length; nth += INSTANTS_A_MESSAGE) {
    const part = all.slice(nth, nth + INSTANTS_A_MESSAGE);
    for (const { field, sensors } of fields) {
      field.measureAll(part.map((at) => readings(sensors, at)));
      await field.untilUnderWay(MESSAGES_UNDER_WAY);
    }
    const isLast = nth + INSTANTS_A_MESSAGE >= all.length;
    if (!isLast && (nth / INSTANTS_A_MESSAGE) % MESSAGES_A_LOOK !== MESSAGES_A_LOOK - 1) continue;
    for (const { field, sensors } of fields) {
      await field.untilUnderWay(0);
      await isStored(sensors[0].id, part.at(-1));
    }
  }
  return all.length * SENSORS;
}

/** Rules of which each third holds at once, so that machines run. */
const ruleOf = (nth, houses) => {
  const house = houses[nth % HOUSES];
  const device = house.devices[Math.floor(nth / HOUSES) % MACHINES.length];
  const holds = nth % 3 === 0;
  return {
    name: `${device.name} in the heat, ${nth + 1}`,
    scope: { type: 'polyhouse', polyhouseId: house.id },
    mode: 'auto',
    deployed: true,
    trigger: { sensor_type: 'temperature', operator: 'gt', value: holds ? 0 : 49, duration_sec: 5 },
    actions: [{ device_id: device.id, command: { action: 'on' } }],
  };
};

/** Makes the farm on a server; `session` is its owner's. `close` ends its controllers. */
export async function yearFarm(base) {
  const session = await registerByApi(base, {
    name: 'Meera Jadhav',
    password: 'polyhouse-year',
    email: 'year@farm.in',
  });
  const ask = (_, method, path, body) => askApi(base, session.token, method, path, body);
  await ask('', 'POST', '/auth/complete-onboarding', {});
  session.user = { ...session.user, onboardingCompleted: true };
  const [{ id: farmId }] = await ask('', 'GET', '/api/farms');
  const houses = [];
  for (let nth = 0; nth < HOUSES; nth += 1) {
    const { id } = await ask('', 'POST', `/api/farms/${farmId}/polyhouses`, { name: `House ${nth + 1}` });
    const controller = announced(nth);
    const field = await fieldController(ask, { ...controller, farmId, polyhouseId: id });
    houses.push({ ...controller, id, field });
  }
  let ticking;
  const close = () => {
    clearInterval(ticking);
    for (const { field } of houses) field.close();
  };
  try {
    await until('all are announced', async () => {
      const devices = await ask('', 'GET', `/api/farms/${farmId}/devices`);
      return devices.length === HOUSES * MACHINES.length;
    });
    const sent = await sendYear(ask, farmId, houses);
    ticking = setInterval(() => {
      for (const { field, sensors } of houses) field.measureAll([readings(sensors, Date.now())]);
    }, 1_000);
    for (let nth = 0; nth < RULES; nth += 1)
      await ask('', 'POST', `/api/farms/${farmId}/rules`, ruleOf(nth, houses));
    return { session, houses, sent, close };
  } catch (error) {
    close();
    throw error;
  }
}
