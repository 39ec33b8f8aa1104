// What all curves were at the minute that is read; the strips tell theirs beside their names.
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import classes from './Day.module.css';
import { useInks } from './inks';
import { type Curve, dashes } from './paint';
import { pointAt } from './series';
import type { Viewer } from './view';

/** A curve with its name for people. */
export interface Shown {
  curve: Curve;
  type: SensorTypeName;
  text: string;
}

/** The minute that is read, as it moves. */
export function useAt(viewer: Viewer): number {
  return useSyncExternalStore(viewer.subscribe, () => viewer.get().at);
}

/** What the curves were at an instant, in words. */
export function useSayings(): (shown: readonly Shown[], at: number) => { value: string; before: string }[] {
  const { t } = useTranslation();
  const words = useDomain();
  return (shown, at) =>
    shown.map(({ curve, type }) => {
      const said = (value: number | null | undefined) =>
        value === null || value === undefined ? t('history.noReading') : words.amount(type, value);
      return {
        value: said(pointAt(curve.series, at)?.mean),
        before: curve.ghost ? t('day.before', { value: said(pointAt(curve.ghost, at)?.mean) }) : '',
      };
    });
}

export function Reading({ viewer, shown }: { viewer: Viewer; shown: readonly Shown[] }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const inks = useInks(shown.map(({ curve }) => curve.scale));
  const at = useAt(viewer);
  const sayings = useSayings()(shown, at);
  const step = shown[0]?.curve.series.stepMs ?? 0;
  return (
    <div className={classes['reading']}>
      <p>
        <time dateTime={new Date(at).toISOString()}>{format.dayTime(new Date(at))}</time>
        {step > 60_000 && (
          <span className={classes['average']}>
            {t('day.average', { duration: words.duration(step / 1_000) })}
          </span>
        )}
      </p>
      {shown.length === 0 && <p className={classes['note']}>{t('day.noSensor')}</p>}
      <dl>
        {shown.map(({ curve, text }, index) => (
          <div key={curve.series.id}>
            <dt>
              <svg width="34" height="10" aria-hidden>
                <line
                  x1="0"
                  y1="5"
                  x2="34"
                  y2="5"
                  stroke={inks.curves[index]}
                  strokeWidth="3"
                  strokeDasharray={dashes[index]?.join(' ')}
                />
              </svg>
              {text}
            </dt>
            <dd>
              <b>{sayings[index]?.value}</b>
              {sayings[index]?.before && <span className={classes['before']}>{sayings[index].before}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
