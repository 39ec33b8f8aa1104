import { describe, expect, it } from 'vitest';
import { apart, coarser, gapsOf, joinedOf, niceScale, timeTicks, withGaps } from './chart-scale';

const MINUTE = 60_000;
const point = (minute: number, mean: number) => ({
  at: minute * MINUTE,
  mean,
  min: mean - 1,
  max: mean + 1,
});

describe('withGaps', () => {
  it('joins neighbours, and nothing over a step that is missing', () => {
    const rows = withGaps([point(0, 20), point(1, 21), point(3, 22)], MINUTE);
    expect(rows.map(({ at, mean }) => [at / MINUTE, mean])).toEqual([
      [0, 20],
      [1, 21],
      [2, null],
      [3, 22],
    ]);
    expect(rows.map(({ band }) => band)).toEqual([[19, 21], [20, 22], null, [21, 23]]);
  });

  it('knows the point that no line would show', () => {
    expect(withGaps([point(0, 20), point(5, 21), point(6, 21)], MINUTE).map(({ alone }) => alone)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

it('finds the gaps between the first and the last reading', () => {
  expect(gapsOf([point(3, 1), point(4, 1), point(10, 1)], MINUTE)).toEqual([
    { from: 5 * MINUTE, to: 10 * MINUTE },
  ]);
  expect(gapsOf([], MINUTE)).toEqual([]);
});

describe('niceScale', () => {
  it.each([
    [
      [18.2, 33.4],
      [15, 20, 25, 30, 35],
    ],
    [
      [6.31, 6.88],
      [6.2, 6.4, 6.6, 6.8, 7],
    ],
    [
      [0, 0],
      [-1, -0.5, 0, 0.5, 1],
    ],
    [
      [34_800, 50_350],
      [30_000, 35_000, 40_000, 45_000, 50_000, 55_000],
    ],
  ])('puts %j on %j', (values, ticks) => {
    const scale = niceScale(values);
    expect(scale.ticks).toEqual(ticks);
    expect([scale.low, scale.high]).toEqual([ticks[0], ticks.at(-1)]);
  });
});

it('puts the ticks on whole hours of a clock that is half an hour off', () => {
  const from = Date.parse('2026-11-21T10:00:00Z');
  const ticks = timeTicks(from, from + 6 * 3_600_000, 2 * 3_600_000, 5.5 * 3_600_000);
  expect(ticks.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual(['10:30', '12:30', '14:30']);
});

it('joins points for a table, and leaves a gap empty', () => {
  const points = [0, 1, 2, 3, 8, 9].map((minute) => point(minute, minute));
  expect(coarser(points, 0, 10 * MINUTE, MINUTE, 5)).toEqual([
    { at: 0, mean: 0.5, min: -1, max: 2 },
    { at: 2 * MINUTE, mean: 2.5, min: 1, max: 4 },
    { at: 4 * MINUTE, mean: null, min: null, max: null },
    { at: 6 * MINUTE, mean: null, min: null, max: null },
    { at: 8 * MINUTE, mean: 8.5, min: 7, max: 10 },
  ]);
  expect(coarser([], 0, MINUTE, MINUTE, 5)).toEqual([]);
  expect(joinedOf(0, [])).toEqual({ at: 0, mean: null, min: null, max: null });
});

describe('apart', () => {
  it('leaves what has room where it is', () => {
    expect(apart([10, 30, 90], 16, 0, 100)).toEqual([10, 30, 90]);
    expect(apart([], 16, 0, 100)).toEqual([]);
  });

  it('moves what is too near to both sides', () => {
    expect(apart([50, 50], 16, 0, 100)).toEqual([42, 58]);
    expect(apart([40, 50, 54], 10, 0, 100)).toEqual([38, 48, 58]);
  });

  it('stays inside, and in order, however many there are at an end', () => {
    expect(apart([98, 99], 16, 0, 100)).toEqual([84, 100]);
    expect(apart([0, 2, 20], 16, 0, 100)).toEqual([0, 16, 32]);
    const many = apart([5, 5, 6, 60, 97, 98, 98], 16, 0, 110);
    expect(many.every((place, nth) => nth === 0 || place - (many[nth - 1] ?? 0) >= 16)).toBe(true);
    expect([many[0], many.at(-1)]).toEqual([0, 110]);
  });
});
