// What a pH or EC value means: inside its optimal range or not, on which side, and whether that is known.
import type { ParseKeys } from 'i18next';
import type { LatestTelemetry } from '../../api/readings';
import type { components } from '../../api/schema';
import type { Tone } from '../../ui/tone';

export type ReadingKind = 'ph' | 'ec';

interface Spec {
  name: ParseKeys;
  meaning: ParseKeys;
  /** Where the server names none; pH has none. */
  unit: string;
}

export const specs: Record<ReadingKind, Spec> = {
  ph: { name: 'reading.ph', meaning: 'reading.phMeaning', unit: '' },
  ec: { name: 'reading.ec', meaning: 'reading.ecMeaning', unit: 'mS/cm' },
};

export type Verdict = 'inRange' | 'above' | 'below' | 'none' | 'notKnown';

export const verdicts: Record<Verdict, { word: ParseKeys; tone: Tone }> = {
  inRange: { word: 'reading.inRange', tone: 'good' },
  above: { word: 'verdict.above', tone: 'warn' },
  below: { word: 'verdict.below', tone: 'warn' },
  none: { word: 'reading.none', tone: 'quiet' },
  notKnown: { word: 'verdict.word.not_known', tone: 'quiet' },
};

/** The sensors on which the farm's mean stands. */
export interface Evidence {
  sensors: number;
  /** Those without a fresh value. */
  silent: number;
}

export function evidenceOf(kind: ReadingKind, latest: LatestTelemetry | undefined): Evidence {
  const sensors = latest?.sensors.filter(({ type }) => type === kind) ?? [];
  const silent = sensors.filter(({ latestValue }) => latestValue === null);
  return { sensors: sensors.length, silent: silent.length };
}

/**
 * Judges a value by a range, whose bounds belong to it; without one it is not judged. That some sensors say it is well is not
 * enough.
 */
export function verdict(
  value: number | null | undefined,
  range: components['schemas']['Range'] | null | undefined,
  { silent }: Evidence,
): Verdict | undefined {
  if (value === null || value === undefined) return 'none';
  if (!range) return undefined;
  if (value > range.high) return 'above';
  if (value < range.low) return 'below';
  return silent > 0 ? 'notKnown' : 'inRange';
}
