// How much is left of an override.
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import Clock from '~icon/HourglassLow';
import { useFormat } from '../i18n/format';
import classes from './Countdown.module.css';
import { useNow } from './now';

/** A longer time is told by its end, not second by second. */
const LONGEST_MS = 24 * 3_600_000;

export function Countdown({ until, onEnd }: { until: number; onEnd?: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const left = until - useNow();
  const over = left <= 0;
  useEffect(() => {
    if (over) onEnd?.();
  }, [over, onEnd]);
  if (left > LONGEST_MS) return null;
  return (
    <span className={classes['countdown']} role="timer" aria-label={t('control.remaining')} data-countdown>
      <Clock size={18} aria-hidden />
      {over ? t('control.ending') : format.stopwatch(Math.ceil(left / 1_000))}
    </span>
  );
}
