import { expect, it } from 'vitest';
import { foldTelemetry, type LatestTelemetry, type SensorReading } from './readings';

const sensor = (id: string, latestValue: number | null): SensorReading => ({
  id,
  name: id,
  type: 'ph',
  unit: '',
  latestValue,
  at: 1_000,
  scope: { type: 'farm' },
  staleAfterSec: 60,
  controller: null,
});
const known: LatestTelemetry = {
  houses: {},
  sensors: [sensor('a', 6), sensor('b', 7)],
  latest: { ph: { value: 6.5, unit: '', at: 1_000, optimal: null, worst: null } },
};
const live = (id: string, latestValue: number | null, at = 2_000) => ({
  id,
  type: 'ph' as const,
  unit: '',
  latestValue,
  at,
});

it('takes over what sensors reported, and no mean', () => {
  const before = structuredClone(known);
  const folded = foldTelemetry(known, { sensors: [live('b', 8), live('new', 9)] });
  expect(folded.sensors.map(({ id, latestValue, at }) => [id, latestValue, at])).toEqual([
    ['a', 6, 1_000],
    ['b', 8, 2_000],
  ]);
  expect(folded.latest).toBe(known.latest);
  expect(known).toEqual(before);
});

it('takes over that a sensor has no value any more', () => {
  expect(foldTelemetry(known, { sensors: [live('a', null)] }).sensors[0]?.latestValue).toBeNull();
});

it('ignores a reading older than the one it has', () => {
  expect(foldTelemetry(known, { sensors: [live('b', 9, 500)] }).sensors[1]?.latestValue).toBe(7);
});
