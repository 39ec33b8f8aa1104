// The histories of several sensors as the one series of their place: the mean of those that measured, between the lowest and
// the highest of them.

import type { components } from '../../api/schema';
import { type ChartPoint, gapsOf, joinedOf } from '../../ui/chart-scale';

export type SensorHistory = components['schemas']['SensorHistory'];

export function seriesOf(histories: readonly SensorHistory[]): ChartPoint[] {
  const steps = new Map<number, ChartPoint[]>();
  for (const { points } of histories) {
    for (const point of points) {
      const known = steps.get(point.at);
      if (known) known.push(point);
      else steps.set(point.at, [point]);
    }
  }
  return [...steps.entries()].sort(([a], [b]) => a - b).map(([at, points]) => joinedOf(at, points));
}

/** What a series comes to. */
export interface Sum {
  mean: number;
  lowest: { value: number; at: number };
  highest: { value: number; at: number };
  gaps: number;
  longestGapMs: number;
}

/** The mean over time, the extremes and the gaps; undefined where nothing was measured. */
export function sumOf(points: readonly ChartPoint[], stepMs: number): Sum | undefined {
  const measured = points.flatMap(({ at, mean, min, max }) =>
    mean === null || min === null || max === null ? [] : [{ at, mean, min, max }],
  );
  const [first] = measured;
  if (!first) return undefined;
  const low = measured.reduce((best, point) => (point.min < best.min ? point : best), first);
  const high = measured.reduce((best, point) => (point.max > best.max ? point : best), first);
  const gaps = gapsOf(points, stepMs);
  return {
    mean: measured.reduce((sum, { mean }) => sum + mean, 0) / measured.length,
    lowest: { value: low.min, at: low.at },
    highest: { value: high.max, at: high.at },
    gaps: gaps.length,
    longestGapMs: Math.max(0, ...gaps.map(({ from, to }) => to - from)),
  };
}
