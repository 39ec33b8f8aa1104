// How long ago something was, as the panel says it (spec 2.3).
import { useTranslation } from 'react-i18next';
import { useFormat } from './format';

export type Ago = { unit: 'now' | 'minutes' | 'hours' | 'days'; count: number };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Whole units, rounded down. What a clock that is behind calls the future has just been. */
export function ago(at: number, now: number): Ago {
  const passed = now - at;
  if (passed < MINUTE) return { unit: 'now', count: 0 };
  if (passed < HOUR) return { unit: 'minutes', count: Math.floor(passed / MINUTE) };
  if (passed < DAY) return { unit: 'hours', count: Math.floor(passed / HOUR) };
  return { unit: 'days', count: Math.floor(passed / DAY) };
}

/** How long ago something was, in words. */
export function useAgo(): (at: number, now: number) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return (at, now) => {
    const { unit, count } = ago(at, now);
    return t(`notifications.ago.${unit}`, { count, value: format.count(count) });
  };
}
