// What all curves were at the minute that is read; the strips tell theirs beside their names.
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/FlagPlus';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import classes from './Day.module.css';
import { useInks } from './inks';
import { type Curve, dashes } from './paint';
import { pointAt } from './series';
import type { View, Viewer } from './view';

/** A curve with its name for people. */
export interface Shown {
  curve: Curve;
  type: SensorTypeName;
  text: string;
}

/** What follows from the view as it moves; what uses it is drawn when that is another value than before. */
export function useOfView<T>(viewer: Viewer, of: (view: View) => T): T {
  return useSyncExternalStore(viewer.subscribe, () => of(viewer.get()));
}

/** The minute that is read, as it moves. */
export function useAt(viewer: Viewer): number {
  return useOfView(viewer, ({ at }) => at);
}

/** What a curve was at an instant, in words. */
export function useSaying(): (shown: Shown, at: number) => { value: string; before: string } {
  const { t } = useTranslation();
  const words = useDomain();
  return ({ curve, type }, at) => {
    const said = (value: number | null | undefined) =>
      value === null || value === undefined ? t('history.noReading') : words.amount(type, value);
    return {
      value: said(pointAt(curve.series, at)?.mean),
      before: curve.ghost ? t('day.before', { value: said(pointAt(curve.ghost, at)?.mean) }) : '',
    };
  };
}

interface Props {
  viewer: Viewer;
  shown: readonly Shown[];
  /** Begins a note of the minute that is read, where the person may write one. */
  onNote?: (at: number) => void;
}

export function Reading({ viewer, shown, onNote }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const inks = useInks(shown.map(({ curve }) => curve.scale));
  const step = shown[0]?.curve.series.stepMs ?? 0;
  return (
    <div className={classes['reading']} data-beside>
      <p>
        <Minute viewer={viewer} />
        {onNote && <WriteNote viewer={viewer} onNote={onNote} />}
        {step > 60_000 && (
          <span className={classes['average']}>
            {t('day.average', { duration: words.duration(step / 1_000) })}
          </span>
        )}
      </p>
      {shown.length === 0 && <p className={classes['note']}>{t('day.noSensor')}</p>}
      <dl>
        {shown.map((each, index) => (
          <div key={each.curve.series.id}>
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
              {each.text}
            </dt>
            <Value viewer={viewer} shown={each} />
          </div>
        ))}
      </dl>
    </div>
  );
}

/** By itself, as are the values: what stays as it is while the minute moves is not drawn with each. */
function Minute({ viewer }: { viewer: Viewer }) {
  const format = useFormat();
  const at = new Date(useAt(viewer));
  return <time dateTime={at.toISOString()}>{format.dayTime(at)}</time>;
}

function WriteNote({ viewer, onNote }: Required<Pick<Props, 'viewer' | 'onNote'>>) {
  const { t } = useTranslation();
  const format = useFormat();
  const at = useAt(viewer);
  return (
    <button
      type="button"
      className={classes['write']}
      aria-label={t('day.notes.add', { time: format.dayTime(new Date(at)) })}
      onClick={() => onNote(Math.round(viewer.get().at))}
    >
      <Add size={20} aria-hidden />
      {t('day.notes.write')}
    </button>
  );
}

function Value({ viewer, shown }: { viewer: Viewer; shown: Shown }) {
  const saying = useSaying();
  const value = useOfView(viewer, ({ at }) => saying(shown, at).value);
  const before = useOfView(viewer, ({ at }) => saying(shown, at).before);
  return (
    <dd>
      <b>{value}</b>
      {before && <span className={classes['before']}>{before}</span>}
    </dd>
  );
}
