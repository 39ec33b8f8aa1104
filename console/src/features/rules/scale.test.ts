import { expect, it } from 'vitest';
import type { Condition } from './form';
import { scaleOf } from './scale';

const hot: Condition = { sensor_type: 'temperature', operator: 'gt', value: 35, duration_sec: 300 };
const cool: Condition = { ...hot, operator: 'lt', value: 32 };

it('has the limit at one place in every list, the value where it stands to it, and the stop behind it', () => {
  const far = scaleOf(hot, cool, 23);
  const near = scaleOf(hot, cool, 34);
  const over = scaleOf(hot, cool, 36);
  expect([far, near, over].map(({ start }) => start)).toEqual([[0.7], [0.7], [0.7]]);
  expect([far.value, near.value, over.value].map((at) => Number(at) < 0.7)).toEqual([true, true, false]);
  expect(Number(far.value)).toBeLessThan(Number(near.value));
  expect(Number(near.stop)).toBeLessThan(0.7);
  expect(over.zone).toEqual({ from: 0.7, to: 1 });
  expect(scaleOf({ ...hot, operator: 'lte' }, null, 36).zone).toEqual({ from: 0, to: expect.closeTo(0.3) });
});

it('keeps the value on the scale, and none where it is not known', () => {
  expect(scaleOf(hot, null, -10).value).toBe(0);
  expect(scaleOf(hot, null, 50).value).toBe(1);
  expect([scaleOf(hot, null, null).value, scaleOf(hot, null, undefined).value]).toEqual([
    undefined,
    undefined,
  ]);
});

it('shows a range between two limits, and no stop of another quantity', () => {
  const damp: Condition = {
    sensor_type: 'humidity',
    operator: 'between',
    value: 80,
    value_max: 95,
    duration_sec: 60,
  };
  const scale = scaleOf(damp, cool, 87.5);
  expect([scale.start, scale.stop, scale.value]).toEqual([[0.25, 0.75], undefined, 0.5]);
});
