import { describe, expect, it } from 'vitest';
import { type Hours, hoursBody, hoursMissing, hoursValues } from './hours';

const morning = { time: { from: '06:00', to: '10:00' }, days: ['mon', 'wed'] } as const;
const night = { time: { from: '22:00', to: '02:00' } };
const dated = { all: [{ dates: { from: '02-29', to: '03-07' } }, night] };
const grid = { device: 'grid', is: 'on' } as const;
const phases = { sensor_type: 'phase_present', operator: 'eq', value: 1 } as const;
const hours = (node: unknown, more: Partial<Hours> = {}) =>
  ({ while: node, if_unknown: 'hold', ...more }) as Hours;

describe('the hours of a machine', () => {
  it.each<[string, Hours, boolean]>([
    ['a window', hours(night), true],
    ['a roster of weekdays and dates', hours({ any: [morning, dated, night] }, { for_sec: 120 }), true],
    ['a window of some dates', hours(dated), true],
    ['a device alone', hours(grid, { if_unknown: 'allow' }), true],
    ['a sensor alone', hours(phases), true],
    ['all of them', hours({ all: [{ any: [morning, night] }, grid, phases] }), true],
    ['a window and a device', hours({ all: [night, grid] }), true],
    // What the form has no fields for stays as it is.
    ['a moment of the sun', hours({ time: { from: { sun: 'sunrise', offset_min: 0 }, to: '18:00' } }), false],
    ['the opposite', hours({ not: night }), false],
    ['another sensor', hours({ sensor_type: 'voltage', operator: 'gt', value: 350 }), false],
    ['one device of two', hours({ any: [grid, { device: 'generator', is: 'on' }] }), false],
    ['a device that is off', hours({ device: 'gate', is: 'off' }), false],
    ['dates alone', hours({ dates: { from: '06-01', to: '09-30' } }), false],
    ['branches in branches', hours({ all: [{ any: [{ all: [morning, grid] }, night] }, phases] }), false],
  ])('come back as they were: %s', (_, document, shown) => {
    const values = hoursValues(document);
    expect(values.other === null).toBe(shown);
    expect(hoursMissing(values)).toEqual({ numbers: [], choices: [], times: [] });
    expect(hoursBody(values)).toEqual(document);
  });

  it('are none where the switch is off', () => {
    expect(hoursBody(hoursValues(null))).toBeNull();
    expect(hoursBody({ ...hoursValues(hours(night)), on: false })).toBeNull();
  });

  it('are not made of what is missing', () => {
    const open = { ...hoursValues(null), on: true, for_sec: 'x' };
    expect(hoursMissing(open)).toEqual({ numbers: ['for_sec'], choices: ['if_unknown'], times: ['rows.0'] });
    expect(hoursMissing({ ...open, rows: [] }).choices).toEqual(['if_unknown', 'rows']);
    const [row] = hoursValues(hours(dated)).rows;
    if (!row) throw new Error('a row');
    expect(hoursMissing({ ...hoursValues(hours(dated)), rows: [{ ...row, last: '' }] }).times).toEqual([
      'rows.0',
    ]);
  });
});
