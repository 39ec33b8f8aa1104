// Which time is shown: a day forward and back, an hour to a year at once.
import { Button, UnstyledButton } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import Back from '~icon/ChevronLeft';
import Forward from '~icon/ChevronRight';
import In from '~icon/ZoomIn';
import Out from '~icon/ZoomOut';
import { useFormat } from '../../i18n/format';
import classes from './Day.module.css';
import { KEY_ZOOM } from './gestures';
import { useDayOf } from './useView';
import type { View, Viewer } from './view';
import { DAY, moved, type Window, zoomed } from './window';

const spans = { hour: DAY / 24, day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY } as const;
type Span = keyof typeof spans;

interface Props {
  viewer: Viewer;
  rested: View;
}

export const Controls = memo(function Controls({ viewer, rested }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const dayOf = useDayOf();
  const { window, at } = rested;
  const length = window.to - window.from;
  const today = dayOf(Date.now());
  const yesterday = dayOf(today.from - 1);
  const same = (other: Window) => other.from === window.from && other.to === window.to;
  const toDay = (day: Window) => {
    // The same time of that day is read, as far as it has been.
    const read = viewer.get().at;
    const time = read - dayOf(read).from;
    viewer.set({ window: day, at: Math.min(day.from + time, day.to - 1, Date.now()) });
  };
  const turn = (by: 1 | -1) =>
    viewer.set({ window: moved(viewer.get().window, by * length), at: viewer.get().at + by * length });
  const toSpan = (span: Span) => {
    if (span === 'day') return viewer.set({ window: dayOf(at) });
    if (span === 'hour')
      return viewer.set({ window: { from: at - spans.hour / 2, to: at + spans.hour / 2 } });
    // The last ones, up to the end of the day that is read.
    const { to } = dayOf(at);
    return viewer.set({ window: { from: to - spans[span], to } });
  };
  const zoom = (by: number) => {
    const now = viewer.get();
    viewer.set({ window: zoomed(now.window, by, within(now)) });
  };

  return (
    <div className={classes['controls']}>
      <div className={classes['days']}>
        <UnstyledButton
          className={classes['round'] ?? ''}
          aria-label={t('day.earlier')}
          onClick={() => turn(-1)}
        >
          <Back size={24} aria-hidden />
        </UnstyledButton>
        <p aria-live="polite">{said(window)}</p>
        <UnstyledButton
          className={classes['round'] ?? ''}
          aria-label={t('day.later')}
          onClick={() => turn(1)}
        >
          <Forward size={24} aria-hidden />
        </UnstyledButton>
      </div>
      <div className={classes['quick']}>
        <Button variant={same(yesterday) ? 'filled' : 'default'} onClick={() => toDay(yesterday)}>
          {t('day.yesterday')}
        </Button>
        <Button variant={same(today) ? 'filled' : 'default'} onClick={() => toDay(today)}>
          {t('day.today')}
        </Button>
        <UnstyledButton
          className={classes['round'] ?? ''}
          aria-label={t('day.zoomOut')}
          onClick={() => zoom(1 / KEY_ZOOM)}
        >
          <Out size={24} aria-hidden />
        </UnstyledButton>
        <UnstyledButton
          className={classes['round'] ?? ''}
          aria-label={t('day.zoomIn')}
          onClick={() => zoom(KEY_ZOOM)}
        >
          <In size={24} aria-hidden />
        </UnstyledButton>
      </div>
      <fieldset className={classes['spans']}>
        <legend>{t('day.span')}</legend>
        {(Object.keys(spans) as Span[]).map((span) => (
          <label key={span}>
            <input
              type="radio"
              name="span"
              checked={Math.abs(length / spans[span] - 1) < 0.05}
              onChange={() => toSpan(span)}
            />
            <span>{t(`day.spans.${span}`)}</span>
          </label>
        ))}
      </fieldset>
    </div>
  );

  /** The instant that stays where it is: the one that is read, if it is on screen. */
  function within(view: View): number {
    const { from, to } = view.window;
    return view.at >= from && view.at <= to ? view.at : (from + to) / 2;
  }

  function said({ from, to }: Window): string {
    const day = dayOf(from);
    if (day.from === from && day.to === to) return format.longDate(new Date(from));
    const write = to - from > 2 * DAY ? format.shortDate : format.dayTime;
    return `${write(new Date(from))} – ${write(new Date(to))}`;
  }
});
