// What the level of a reservoir means (spec 4): 50 and more is green, 20 to under 50 yellow, below 20 red.
import type { ParseKeys } from 'i18next';
import type { Tone } from '../../ui/tone';

export type Level = 'enough' | 'falling' | 'low' | 'unknown';

export function levelOf(percent: number | null): Level {
  if (percent === null) return 'unknown';
  if (percent >= 50) return 'enough';
  return percent >= 20 ? 'falling' : 'low';
}

export const levelLooks: Record<Level, { tone: Tone; word: ParseKeys }> = {
  enough: { tone: 'good', word: 'places.level.enough' },
  falling: { tone: 'warn', word: 'places.level.falling' },
  low: { tone: 'bad', word: 'places.level.low' },
  unknown: { tone: 'quiet', word: 'places.level.unknown' },
};
