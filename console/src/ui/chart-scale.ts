// The arithmetic of a chart: gaps that stay gaps, round numbers on the axes.

/** One step of a series; null where nothing was measured. */
export interface ChartPoint {
  at: number;
  mean: number | null;
  min: number | null;
  max: number | null;
}

/** A point that is drawn. */
export interface ChartRow extends ChartPoint {
  band: [number, number] | null;
  /** Nothing before and nothing after: a line would not show it. */
  alone: boolean;
}

/**
 * The points as rows for drawing, with an empty row wherever at least one whole step is missing, so that no line leads over
 * a time in which nothing was measured.
 */
export function withGaps(points: readonly ChartPoint[], stepMs: number): ChartRow[] {
  const rows: ChartRow[] = [];
  for (const [index, point] of points.entries()) {
    const before = points[index - 1];
    const after = points[index + 1];
    const joined = (other: ChartPoint | undefined) =>
      other !== undefined && other.mean !== null && Math.abs(other.at - point.at) <= stepMs;
    if (before && point.at - before.at > stepMs)
      rows.push({ at: before.at + stepMs, mean: null, min: null, max: null, band: null, alone: false });
    rows.push({
      ...point,
      band: point.min === null || point.max === null ? null : [point.min, point.max],
      alone: point.mean !== null && !joined(before) && !joined(after),
    });
  }
  return rows;
}

/** The times between the first and the last point in which nothing was measured. */
export function gapsOf(points: readonly ChartPoint[], stepMs: number): { from: number; to: number }[] {
  const there = points.filter(({ mean }) => mean !== null);
  return there.slice(1).flatMap((point, index) => {
    const from = (there[index]?.at ?? point.at) + stepMs;
    return point.at > from ? [{ from, to: point.at }] : [];
  });
}

export interface Scale {
  low: number;
  high: number;
  ticks: number[];
}

/** An axis over the values with about `count` intervals, on round numbers. */
export function niceScale(values: readonly number[], count = 4): Scale {
  if (values.length === 0) return { low: 0, high: 1, ticks: [0, 1] };
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (low === high) {
    const room = Math.abs(low) > 0 ? Math.abs(low) * 0.05 : 1;
    low -= room;
    high += room;
  }
  const rough = (high - low) / count;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = magnitude * ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10);
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  // Counted, not added up: 0.1 + 0.2 would show.
  const ticks = Array.from(
    { length: last - first + 1 },
    (_, index) => Math.round((first + index) * step * 1e9) / 1e9,
  );
  return { low: ticks[0] ?? low, high: ticks.at(-1) ?? high, ticks };
}

/** The multiples of a step between two instants, counted on a clock that is `offset` ahead of UTC. */
export function timeTicks(from: number, to: number, stepMs: number, offset: number): number[] {
  const ticks: number[] = [];
  for (let at = Math.ceil((from + offset) / stepMs) * stepMs - offset; at <= to; at += stepMs) ticks.push(at);
  return ticks;
}

/** Neighbouring points joined so that no more than `most` are left; a group in which nothing was measured stays empty. */
export function coarser(
  points: readonly ChartPoint[],
  from: number,
  to: number,
  stepMs: number,
  most: number,
): ChartPoint[] {
  const steps = Math.max(1, Math.ceil((to - from) / stepMs / most));
  const width = steps * stepMs;
  const groups = new Map<number, ChartPoint[]>();
  for (const point of points) {
    if (point.mean === null) continue;
    const at = from + Math.floor((point.at - from) / width) * width;
    groups.set(at, [...(groups.get(at) ?? []), point]);
  }
  const first = Math.min(...groups.keys());
  const last = Math.max(...groups.keys());
  const joined: ChartPoint[] = [];
  for (let at = first; at <= last; at += width) joined.push(joinedOf(at, groups.get(at) ?? []));
  return joined;
}

/** One point for several. */
export function joinedOf(at: number, points: readonly ChartPoint[]): ChartPoint {
  const of = (key: 'mean' | 'min' | 'max') =>
    points.map((point) => point[key]).filter((value) => value !== null);
  const means = of('mean');
  return {
    at,
    mean: means.length > 0 ? means.reduce((sum, value) => sum + value, 0) / means.length : null,
    min: means.length > 0 ? Math.min(...of('min')) : null,
    max: means.length > 0 ? Math.max(...of('max')) : null,
  };
}

/**
 * Moves places apart that are nearer to each other than `gap`, each group around where its places were, and into the room from
 * `low` to `high`. They are given in their order.
 */
export function apart(places: readonly number[], gap: number, low: number, high: number): number[] {
  // Those of a group stand at its first place and each a gap further on.
  const groups: { first: number; size: number }[] = [];
  for (const place of places) {
    let group = { first: place, size: 1 };
    for (let before = groups.at(-1); before; before = groups.at(-1)) {
      if (before.first + before.size * gap <= inside(group)) break;
      groups.pop();
      const size = before.size + group.size;
      group = {
        first: (before.first * before.size + (group.first - before.size * gap) * group.size) / size,
        size,
      };
    }
    groups.push({ ...group, first: inside(group) });
  }
  return groups.flatMap(({ first, size }) => Array.from({ length: size }, (_, nth) => first + nth * gap));

  function inside({ first, size }: { first: number; size: number }): number {
    return Math.max(low, Math.min(first, high - (size - 1) * gap));
  }
}
