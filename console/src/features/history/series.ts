// What the series of a place comes to.

import type { components } from '../../api/schema';
import { type ChartPoint, gapsOf } from '../../ui/chart-scale';

export type PlaceQuantity = components['schemas']['PlaceQuantity'];
export type SensorPast = components['schemas']['SensorPast'];

/** Sensors with names that tell them apart: those of one name are numbered. */
export function named(sensors: readonly SensorPast[], unnamed: string): (SensorPast & { name: string })[] {
  const nameOf = ({ name }: SensorPast) => name ?? unnamed;
  const times = new Map<string, number>();
  for (const sensor of sensors) times.set(nameOf(sensor), (times.get(nameOf(sensor)) ?? 0) + 1);
  const seen = new Map<string, number>();
  return sensors.map((sensor) => {
    const name = nameOf(sensor);
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return { ...sensor, name: (times.get(name) ?? 0) > 1 ? `${name} ${number}` : name };
  });
}

/** What a series comes to. */
export interface Sum {
  lowest: { value: number; at: number };
  highest: { value: number; at: number };
  gaps: number;
  longestGapMs: number;
}

/** The extremes and the gaps; undefined where nothing was measured. */
export function sumOf(points: readonly ChartPoint[], stepMs: number): Sum | undefined {
  const measured = points.flatMap(({ at, min, max }) =>
    min === null || max === null ? [] : [{ at, min, max }],
  );
  const [first] = measured;
  if (!first) return undefined;
  const low = measured.reduce((best, point) => (point.min < best.min ? point : best), first);
  const high = measured.reduce((best, point) => (point.max > best.max ? point : best), first);
  const gaps = gapsOf(points, stepMs);
  return {
    lowest: { value: low.min, at: low.at },
    highest: { value: high.max, at: high.at },
    gaps: gaps.length,
    longestGapMs: Math.max(0, ...gaps.map(({ from, to }) => to - from)),
  };
}
