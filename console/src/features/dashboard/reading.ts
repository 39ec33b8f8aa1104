// What a pH or EC value means: inside its optimal range or not, and on which side.
import type { ParseKeys } from 'i18next';
import type { Tone } from '../../ui/tone';

export type ReadingKind = 'ph' | 'ec';

interface Spec {
  name: ParseKeys;
  meaning: ParseKeys;
  low: number;
  high: number;
  /** Where the server names none; pH has none. */
  unit: string;
}

export const specs: Record<ReadingKind, Spec> = {
  ph: { name: 'reading.ph', meaning: 'reading.phMeaning', low: 6, high: 7, unit: '' },
  ec: { name: 'reading.ec', meaning: 'reading.ecMeaning', low: 1, high: 1.5, unit: 'mS/cm' },
};

export type Verdict = 'inRange' | 'above' | 'below' | 'none';

export const verdicts: Record<Verdict, { word: ParseKeys; tone: Tone }> = {
  inRange: { word: 'reading.inRange', tone: 'good' },
  above: { word: 'reading.above', tone: 'warn' },
  below: { word: 'reading.below', tone: 'warn' },
  none: { word: 'reading.none', tone: 'quiet' },
};

/** Judges a value; the bounds belong to the range. */
export function verdict(kind: ReadingKind, value: number | null | undefined): Verdict {
  if (value === null || value === undefined) return 'none';
  const { low, high } = specs[kind];
  if (value > high) return 'above';
  return value < low ? 'below' : 'inRange';
}
