// A length of time as it is typed: a number and its unit.

const SECONDS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
export type TimeUnit = keyof typeof SECONDS;

export type Span = { amount: string; unit: TimeUnit };

/** What lasts is typed in these. */
export const durationUnits = ['seconds', 'minutes', 'hours'] as const satisfies readonly TimeUnit[];

export const unitNames = {
  seconds: 'condition.unit.seconds',
  minutes: 'condition.unit.minutes',
  hours: 'condition.unit.hours',
  days: 'condition.unit.days',
} as const satisfies Record<TimeUnit, string>;

/** In the largest unit that leaves no rest. */
export function spanOf(seconds: number): Span {
  const unit = seconds === 0 ? undefined : durationUnits.findLast((name) => seconds % SECONDS[name] === 0);
  return { amount: String(seconds / SECONDS[unit ?? 'seconds']), unit: unit ?? 'seconds' };
}

/** A typed number; NaN where there is none. */
export function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** NaN where nothing is typed. */
export function secondsIn({ amount, unit }: Span): number {
  return numberIn(amount) * SECONDS[unit];
}
