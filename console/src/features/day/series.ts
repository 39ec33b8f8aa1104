// The curves: what is measured at an instant, which part of a series is on screen, and where a line must break.
import type { ChartPoint } from '../../ui/chart-scale';
import type { Window } from './window';

/** One sensor's past. */
export interface Series {
  id: string;
  points: readonly ChartPoint[];
  stepMs: number;
}

/** The first of sorted instants that is not before `at`. */
export function firstFrom(points: readonly { at: number }[], at: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.at ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The step in which an instant lies; undefined in a gap. */
export function pointAt({ points, stepMs }: Series, at: number): ChartPoint | undefined {
  const point = points[firstFrom(points, at + 1) - 1];
  return point && at < point.at + stepMs && point.mean !== null ? point : undefined;
}

/** The points on screen and one beyond each edge, so that a line runs out of the picture. */
export function within({ points }: Series, { from, to }: Window): readonly ChartPoint[] {
  return points.slice(Math.max(0, firstFrom(points, from) - 1), firstFrom(points, to) + 1);
}

/** A column of the picture: what the points in it come to. */
export interface Column {
  x: number;
  /** The first and the last mean in it, and the extremes. */
  first: number;
  last: number;
  min: number;
  max: number;
  /** Whether a line leads here from the column before. */
  joined: boolean;
}

/**
 * The points as at most one column a pixel, with the extremes of what falls together: a peak of a minute is still there in a
 * picture of a year. A step that is missing breaks the line.
 */
export function columns(series: Series, window: Window, width: number): Column[] {
  const { from, to } = window;
  const made: Column[] = [];
  let before: number | undefined;
  for (const { at, mean: value, min, max } of within(series, window)) {
    if (value === null || min === null || max === null) continue;
    // A step is drawn in its middle: it is the mean of all of it.
    const x = ((at + series.stepMs / 2 - from) / (to - from)) * width;
    const joined = before !== undefined && at - before <= 1.5 * series.stepMs;
    before = at;
    const last = made.at(-1);
    if (last && joined && Math.floor(x) === Math.floor(last.x)) {
      last.last = value;
      last.min = Math.min(last.min, min);
      last.max = Math.max(last.max, max);
    } else made.push({ x, first: value, last: value, min, max, joined });
  }
  return made;
}

/** The lowest and the highest that several series come to in a window; undefined where there is nothing. */
export function extent(all: readonly Series[], window: Window): { low: number; high: number } | undefined {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const series of all)
    for (const { min, max } of within(series, window)) {
      if (min !== null && min < low) low = min;
      if (max !== null && max > high) high = max;
    }
  return low <= high ? { low, high } : undefined;
}

/** A series as if it had been measured later: yesterday beneath today. */
export function shifted({ points, ...series }: Series, by: number): Series {
  return { ...series, points: points.map((point) => ({ ...point, at: point.at + by })) };
}

/** A step in which any of several series has a reading, with the mean of each; null where one has none. */
export type Row = readonly [at: number, means: readonly (number | null)[]];

/** The rows of a table of several series, the oldest first. */
export function rowsOf(all: readonly Series[], window: Window): Row[] {
  const rows = new Map<number, (number | null)[]>();
  for (const [index, series] of all.entries())
    for (const { at, mean: value } of within(series, window)) {
      if (at < window.from || at >= window.to) continue;
      const row = rows.get(at) ?? all.map(() => null);
      row[index] = value;
      rows.set(at, row);
    }
  return [...rows].sort(([a], [b]) => a - b);
}
