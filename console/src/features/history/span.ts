// How far back a chart looks, and how finely.

export const spans = ['6h', '24h', '7d', '30d', '1y'] as const;
export type Span = (typeof spans)[number];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Look {
  length: number;
  /** The step of the points: some 300 to 400 of them. */
  step: number;
  /** Between two names on the time axis: few enough for a phone. */
  tick: number;
  /** How often it is loaded again. */
  reload: number;
}

export const looks: Record<Span, Look> = {
  '6h': { length: 6 * HOUR, step: MINUTE, tick: 2 * HOUR, reload: MINUTE },
  '24h': { length: DAY, step: 5 * MINUTE, tick: 6 * HOUR, reload: 5 * MINUTE },
  '7d': { length: 7 * DAY, step: 30 * MINUTE, tick: 2 * DAY, reload: 15 * MINUTE },
  '30d': { length: 30 * DAY, step: 2 * HOUR, tick: 7 * DAY, reload: 15 * MINUTE },
  '1y': { length: 365 * DAY, step: DAY, tick: 73 * DAY, reload: HOUR },
};

export function asSpan(text: string | null): Span {
  return spans.find((span) => span === text) ?? '24h';
}

/** The time that is shown now: whole steps, so that the steps of all sensors are the same ones. */
export function windowAt(span: Span, now: number): { from: number; to: number } {
  const { length, step } = looks[span];
  const to = Math.ceil(now / step) * step;
  return { from: to - length, to };
}
