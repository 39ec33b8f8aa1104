// The picture of the curves for a window, with its axis in the farm's time and the person's language.
import { useFormat } from '../../i18n/format';
import { timeTicks } from '../../ui/chart-scale';
import type { Course, CurvePicture, Limit, Target } from './paint';
import type { Note } from './queries';
import type { Shown } from './Reading';
import { DAY, tickStep, type Window } from './window';

/** A name on the axis needs about so many pixels. */
const NAME_PX = 78;

export function usePicture(
  shown: readonly Shown[],
  targets: readonly Target[],
  limits: readonly Limit[],
  courses: readonly Course[],
  nights: readonly Window[],
  notes: readonly Pick<Note, 'at'>[],
): (window: Window, width: number) => CurvePicture {
  const format = useFormat();
  return (window, width) => {
    const step = tickStep(window, Math.max(2, width / NAME_PX));
    const { from, to } = window;
    const named = (at: number) => {
      const date = new Date(at);
      if (step >= DAY) return format.day(date);
      // Midnight is called by its day.
      if ((at + format.offset(date)) % DAY === 0) return format.day(date);
      return step < 3_600_000 ? (step < 60_000 ? format.time(date) : format.clock(date)) : format.hour(date);
    };
    return {
      window,
      curves: shown.map(({ curve }) => curve),
      targets,
      limits,
      courses,
      nights,
      notes: notes.map(({ at }) => at),
      now: Date.now(),
      ticks: timeTicks(from, to, step, format.offset(new Date(to))).map((at) => ({ at, text: named(at) })),
      number: format.reading,
    };
  };
}
