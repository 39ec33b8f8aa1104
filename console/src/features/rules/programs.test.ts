import { describe, expect, it } from 'vitest';
import type { Scope } from '../../screen/condition/places';
import { secondsIn } from '../../screen/condition/span';
import { type Answers, type Ask, answerProblems, firstAnswers } from './asks';
import { documentOf, fieldsOf, newFields } from './form';
import { problemsOf } from './problems';
import { programIds } from './programs';
import type { Rule } from './queries';
import { readyAt } from './ready';
import type { Sensor } from './recipes';
import { fan, houses, running } from './samples';

const east: Scope = { type: 'polyhouse', polyhouseId: 'p1' };
const sensor = (type: Sensor['type'], scope: Scope = east) =>
  ({ id: type, type, scope, gone: false }) as Sensor;
const device = (id: string, type: (typeof fan)['type'], change: Partial<typeof fan> = {}) => ({
  ...fan,
  id,
  name: id,
  type,
  ...change,
});
const valveA = device('Valve A', 'valve', { max_on_sec: 1_800 });
const valveB = device('Valve B', 'valve', { max_on_sec: 1_800 });
const pump = device('Pump', 'pump', { max_on_sec: 3_600 });
const devices = [
  valveA,
  valveB,
  pump,
  device('Foggers', 'valve'),
  device('Heater', 'fan'),
  device('Vents', 'vent', { supportedActions: [{ action: 'off' }, { action: 'set_position' }] }),
  device('Shade net', 'vent'),
];
const sensors = (
  ['temperature', 'humidity', 'soil_moisture', 'light_intensity', 'wind_speed', 'rain_rate'] as const
).map((type) => sensor(type));
const farm = { devices, houses, farmId: 'f1' };
const ready = (id: (typeof programIds)[number]) => {
  const found = readyAt(east, sensors, devices, houses).find((each) => each.id === id);
  if (!found) throw new Error(`no program ${id}`);
  return found;
};
/** Everything chosen that may be, and the choice that nobody makes for the person. */
function answered(asks: readonly Ask[], offered: (ask: Ask) => readonly (typeof fan)[]): Answers {
  const answers = firstAnswers(asks, offered);
  for (const ask of asks)
    if (ask.kind === 'devices')
      answers.devices[ask.name] = offered(ask)
        .slice(0, ask.many ? 2 : 1)
        .map(({ id }) => id);
  return { ...answers, unknown: 'skip' };
}

describe('ready programs', () => {
  it('are those for which the place has, or has around it, the sensors and the devices', () => {
    const ids = (of: Sensor[], from: (typeof fan)[]) => readyAt(east, of, from, houses).map(({ id }) => id);
    expect(ids(sensors, devices)).toEqual(programIds);
    expect(ids([], [valveA])).toEqual(['dripShift', 'mistNursery']);
    expect(ids([sensor('soil_moisture')], [valveA])).toContain('soilDrip');
    // A heater is only what is called so.
    expect(ids([sensor('temperature')], [fan])).toEqual(['frostGuard']);
    const vents = [device('Vents', 'vent')];
    expect(ids([sensor('temperature')], vents)).toEqual(['ventCurve']);
    expect(ids([sensor('temperature'), sensor('wind_speed', { type: 'farm' })], vents)).toEqual([
      'windVent',
      'ventCurve',
    ]);
    const west: Scope = { type: 'polyhouse', polyhouseId: 'p2' };
    expect(ids([sensor('soil_moisture', west)], [device('Far', 'valve', { scope: west })])).toEqual([]);
  });

  it.each(programIds)('%s makes a rule in which nothing is missing, and which the form takes again', (id) => {
    const { asks, offered, make } = ready(id);
    const answers = answered(asks, offered);
    expect(answerProblems(asks, answers, devices)).toEqual([]);
    const fields = { ...newFields(houses), ...make(answers) };
    expect(problemsOf(fields, devices)).toEqual([]);
    const document = documentOf(fields, false, farm);
    const again = fieldsOf({ ...running, stop_condition: null, run_sec: null, ...document } as Rule);
    expect(again && documentOf(again, false, farm)).toEqual(document);
  });

  it('drip by shift: the pump starts after the first valve opened and stops before the last one closes', () => {
    const { asks, offered, make } = ready('dripShift');
    const answers = answered(asks, offered);
    const document = documentOf({ ...newFields(houses), ...make(answers) }, false, farm);
    expect(document.trigger).toEqual({ schedule: { at: ['06:00'], catch_up_sec: 0 } });
    expect(document.run_sec).toBe(1_200);
    expect(
      document.actions?.map(({ device_id, delay_sec, for_sec, linger_sec }) => [
        device_id,
        delay_sec,
        for_sec,
        linger_sec,
      ]),
    ).toEqual([
      ['Valve A', 0, 605, undefined],
      ['Pump', 5, undefined, undefined],
      ['Valve B', 600, undefined, 5],
    ]);
    const alone = { ...answers, devices: { ...answers.devices, pump: [] } };
    expect(
      make(alone).actions?.map(({ for_sec, linger_sec }) => [for_sec, linger_sec].map(secondsIn)),
    ).toEqual([
      [600, 0],
      [600, 0],
    ]);
  });

  it('ask until all is said, and say where a machine would be stopped by its own limit', () => {
    const { asks, offered } = ready('soilDrip');
    const first = firstAnswers(asks, offered);
    const wrong = (change: Partial<Answers>) =>
      answerProblems(asks, { ...first, ...change }, devices).map(({ path, code }) => `${path} ${code}`);
    expect(wrong({})).toEqual(['devices.valves required', 'unknown required']);
    expect(
      wrong({ numbers: { each: '31', limit: '400' }, devices: { valves: ['Valve A'] }, unknown: 'run' }),
    ).toEqual(['devices.valves runs_too_long', 'numbers.limit out_of_range']);
    const shift = ready('dripShift');
    const long = answered(shift.asks, shift.offered);
    expect(
      answerProblems(shift.asks, { ...long, numbers: { each: '30.5' } }, devices).map(({ code }) => code),
    ).toContain('not_whole');
    const four = { ...long, devices: { valves: ['Valve A', 'Valve B', 'x', 'y'], pump: ['Pump'] } };
    expect(
      answerProblems(shift.asks, { ...four, numbers: { each: '20' } }, devices).map(({ path, code, max }) => [
        path,
        code,
        max,
      ]),
    ).toEqual([['devices.pump', 'runs_too_long', 3_600]]);
  });
});
