import { describe, expect, it } from 'vitest';
import type { Scope } from '../../screen/condition/places';
import { noAnswers } from './asks';
import { newFields } from './form';
import { problemsOf } from './problems';
import { jobsAt, type Sensor } from './recipes';
import { doser, fan, houses } from './samples';

const east: Scope = { type: 'polyhouse', polyhouseId: 'p1' };
const roses: Scope = { type: 'zone', polyhouseId: 'p1', zoneId: 'z1' };
const sensor = (type: Sensor['type'], scope: Scope = east, gone = false) =>
  ({ id: type, type, scope, gone }) as Sensor;
const device = (change: Partial<typeof fan>) => ({ ...fan, ...change });
const vent = device({
  id: 'vent',
  name: 'Vents',
  type: 'vent',
  supportedActions: [{ action: 'on' }, { action: 'off' }, { action: 'set_position' }],
});
const drip = device({
  id: 'drip',
  name: 'Drip',
  type: 'valve',
  supportedActions: [{ action: 'on' }, { action: 'off' }],
  scope: roses,
});
const fog = device({ ...drip, id: 'fog', name: 'Foggers', scope: east });
const acid = { ...doser, id: 'acid', name: 'Acid pump', scope: east };
const food = { ...doser, id: 'food', name: 'Nutrient pump', scope: east };
const ids = (sensors: Sensor[], devices: (typeof fan)[], place: Scope = east) =>
  jobsAt(place, sensors, devices, houses).map(({ id }) => id);

describe('usual jobs', () => {
  it('are those for which the place has the sensor and the device', () => {
    expect(ids([], [fan, vent])).toEqual([]);
    expect(ids([sensor('temperature')], [])).toEqual([]);
    expect(ids([sensor('temperature')], [fan])).toEqual(['coolFan']);
    expect(ids([sensor('temperature'), sensor('humidity')], [fan, vent])).toEqual([
      'coolFan',
      'coolVent',
      'dryFan',
      'keepWarm',
    ]);
    expect(ids([sensor('temperature', east, true)], [fan])).toEqual([]);
    expect(ids([sensor('temperature')], [device({ gone: true })])).toEqual([]);
    expect(ids([sensor('temperature', { type: 'polyhouse', polyhouseId: 'p2' })], [fan])).toEqual([]);
  });

  it('are also those of the zones of a polyhouse, with the device of the zone', () => {
    const [job] = jobsAt(east, [sensor('soil_moisture', roses)], [drip, fan], houses);
    expect([job?.id, job?.place, job?.devices.map(({ id }) => id)]).toEqual(['drip', 'zone:z1', ['drip']]);
  });

  it('take a heater and a fogger by what they are, whatever they are called', () => {
    const heater = device({ id: 'h', name: 'Unit 3', type: 'heater' });
    const fogger = device({ id: 'f', name: 'Line 2', type: 'fogger' });
    expect(ids([sensor('temperature')], [heater])).toEqual(['heat']);
    expect(ids([sensor('humidity')], [fogger])).toEqual(['humidify']);
  });

  it('do not take a fogger for a drip, nor acid for food', () => {
    expect(ids([sensor('soil_moisture')], [fog])).toEqual([]);
    expect(ids([sensor('humidity')], [fog])).toEqual(['humidify']);
    const dosed = jobsAt(east, [sensor('ph'), sensor('ec')], [acid, food], houses);
    expect(dosed.map(({ id, devices }) => [id, devices.map((each) => each.id)])).toEqual([
      ['acid', ['acid']],
      // No pump is called so: the person chooses.
      ['base', []],
      ['feed', ['food']],
    ]);
    // Doses with time to mix between them.
    expect(dosed[0]?.make(noAnswers).actions?.map(({ delay_sec, command }) => [delay_sec, command])).toEqual([
      [
        { amount: '0', unit: 'seconds' },
        { action: 'pulse', value: '5' },
      ],
      [
        { amount: '1', unit: 'minutes' },
        { action: 'pulse', value: '5' },
      ],
      [
        { amount: '2', unit: 'minutes' },
        { action: 'pulse', value: '5' },
      ],
    ]);
  });

  it('fill the sentence so that nothing is missing, with a stop on the other side of the limit', () => {
    const everything = (
      ['temperature', 'humidity', 'soil_moisture', 'reservoir_level', 'ph', 'ec', 'co2_level'] as const
    ).map((type) => sensor(type));
    const heater = device({ id: 'heat', name: 'Heater' });
    const pump = device({ id: 'well', name: 'Well pump', type: 'pump' });
    const valve = { ...drip, scope: east };
    const base = { ...acid, id: 'base', name: 'Base pump' };
    const devices = [fan, vent, valve, fog, heater, pump, acid, base, food];
    const jobs = jobsAt(east, everything, devices, houses);
    expect(jobs.length).toBe(14);
    for (const job of jobs) {
      const fields = { ...newFields(houses), ...job.make(noAnswers) };
      expect(problemsOf(fields, devices), job.id).toEqual([]);
      const [[trigger], [stop]] = [fields.trigger.of, fields.stop_condition.of];
      const apart = Number(stop?.value) - Number(trigger?.value);
      expect(trigger?.operator === 'gt' ? apart < 0 : apart > 0, job.id).toBe(true);
      expect(stop?.operator, job.id).toBe(trigger?.operator === 'gt' ? 'lt' : 'gt');
    }
  });
});
