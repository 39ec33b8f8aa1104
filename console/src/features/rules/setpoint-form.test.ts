import { describe, expect, it } from 'vitest';
import { sameMeaning } from './leaves';
import type { Setpoint } from './queries';
import { houses } from './samples';
import { newPoint, setpointFields, setpointOf, setpointProblems, shifted } from './setpoint-form';

const farm = { houses, farmId: 'f1' };
const day: Setpoint = {
  id: 'day',
  name: 'Day',
  sensor_type: 'temperature',
  unit: '°C',
  scope: { type: 'polyhouse', polyhouseId: 'p1', path: 'Farm / East' },
  course: [
    { at: { sun: 'sunrise', offset_min: -30 }, value: 22.25, ramp_min: 60 },
    { at: '18:00', value: 16, ramp_min: 0 },
  ],
  stages: [
    { from: '2026-01-01', course: [{ at: '00:00', value: 20, ramp_min: 0 }], ramp_days: 5 },
    { from: '2026-03-01', course: [{ at: '06:15', value: 49.9, ramp_min: 0 }], ramp_days: 0 },
  ],
  stage: null,
  value: 22.25,
  next_change: null,
  today: [],
  rules: [],
  etag: 'v1',
};
/** What the server stores of it. */
const stored = ({ name, sensor_type, scope, course, stages }: Setpoint) => ({
  name,
  sensor_type,
  scope,
  course,
  stages,
});

describe('a setpoint in its form', () => {
  it('comes out as it went in', () => {
    expect(sameMeaning(setpointOf(setpointFields(day), farm), stored(day))).toBe(true);
    expect(setpointProblems(setpointFields(day))).toEqual([]);
  });

  it('begins with a day and a night', () => {
    const fresh = setpointFields(undefined);
    expect(fresh.course.map(({ at }) => at.time)).toEqual(['06:00', '18:00']);
    expect(setpointProblems(fresh)).toEqual([{ path: 'name', code: 'required' }]);
  });

  it('says what is wrong, and where', () => {
    const fields = setpointFields(day);
    const point = newPoint('temperature', '');
    const [first, second] = fields.stages;
    if (!first || !second) throw new Error('no stages');
    const wrong = setpointProblems({
      ...fields,
      course: [point, { ...point, value: '900', ramp_min: '1.5' }],
      stages: [second, { ...first, ramp_days: '61' }, { ...first, from: '', course: [] }],
    });
    expect(wrong.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'course[0].at required',
      'course[1].at required',
      'course[1].value out_of_range',
      'course[1].ramp_min not_whole',
      'stages[1].from out_of_order',
      'stages[1].ramp_days out_of_range',
      'stages[2].from required',
      'stages[2].course required',
    ]);
  });

  it('is moved where it counts today, and no further than its quantity goes', () => {
    const values = (setpoint: Setpoint, by: number) => {
      const { course, stages } = shifted(setpoint, by);
      const of = (points: typeof course) => points.map(({ value }) => value);
      return [of(course), ...(stages ?? []).map((stage) => of(stage.course))];
    };
    expect(values(day, 0.1)).toEqual([[22.35, 16.1], [20], [49.9]]);
    expect(values({ ...day, stage: 0 }, -0.5)).toEqual([[22.25, 16], [19.5], [49.9]]);
    expect(values({ ...day, stage: 1 }, 0.5)).toEqual([[22.25, 16], [20], [50]]);
  });
});
