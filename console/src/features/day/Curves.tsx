// The curves and the line of the minute that is read, which runs through the strips below too. Who cannot see it moves the
// minute with keys and hears what was then.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { Canvas } from './Canvas';
import classes from './Day.module.css';
import { onKey } from './gestures';
import { useInks } from './inks';
import { NoteAt, noteNear } from './NoteAt';
import { type Course, type Limit, paintCurves, type Target } from './paint';
import type { Note } from './queries';
import { type Shown, useAt, useSaying } from './Reading';
import { usePicture } from './usePicture';
import type { Viewer } from './view';
import type { Window } from './window';

const NONE: never[] = [];

interface Props {
  viewer: Viewer;
  shown: readonly Shown[];
  targets: readonly Target[];
  limits: readonly Limit[];
  courses: readonly Course[];
  nights: readonly Window[];
  notes: readonly Note[];
}

export function Curves(props: Props) {
  const { viewer, shown, notes } = props;
  const { t } = useTranslation();
  return (
    <>
      <ReadingLine viewer={viewer} />
      <div className={classes['plot']}>
        <Minute viewer={viewer} shown={shown} notes={notes} label={t('day.reading')} />
        <Drawing {...props} className={classes['curves']} />
        <NoteAt viewer={viewer} notes={notes} />
      </div>
    </>
  );
}

/** The axis of the time, with the nights, and the curves with what they are compared with. */
export function Drawing({
  viewer,
  className,
  nights,
  shown = NONE,
  targets = NONE,
  limits = NONE,
  courses = NONE,
  notes = NONE,
}: Pick<Props, 'viewer' | 'nights'> & Partial<Props> & { className: string | undefined }) {
  const inks = useInks(shown.map(({ curve }) => curve.scale));
  const picture = usePicture(shown, targets, limits, courses, nights, notes);
  return (
    <Canvas
      viewer={viewer}
      className={className}
      draw={(to, box) =>
        paintCurves(
          to,
          box,
          inks,
          picture(viewer.get().window, box.width),
          getComputedStyle(document.body).fontFamily,
        )
      }
    />
  );
}

/** The line moves without React: it follows a finger. */
export function ReadingLine({ viewer }: { viewer: Viewer }) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const follow = () => {
      const { window, at } = viewer.get();
      const part = (at - window.from) / (window.to - window.from);
      if (!line.current) return;
      line.current.style.visibility = part >= 0 && part <= 1 ? 'visible' : 'hidden';
      line.current.style.setProperty('--part', `${part}`);
    };
    follow();
    return viewer.subscribe(follow);
  }, [viewer]);
  return <div ref={line} className={classes['line']} aria-hidden />;
}

function Minute({
  viewer,
  shown,
  notes,
  label,
}: Pick<Props, 'viewer' | 'shown' | 'notes'> & { label: string }) {
  const saying = useSaying();
  const said = (at: number) => [
    ...shown.map((each) => `${each.text}: ${saying(each, at).value}`),
    ...[noteNear(notes, { ...viewer.get(), at })?.text ?? []].flat(),
  ];
  return <Scrubber viewer={viewer} label={label} className={classes['minute']} said={said} />;
}

interface ScrubberProps {
  viewer: Viewer;
  label: string;
  className: string | undefined;
  /** What was so at an instant. */
  said: (at: number) => readonly string[];
}

/** The line for keys and for who listens. */
export function Scrubber({ viewer, label, className, said }: ScrubberProps) {
  const format = useFormat();
  const at = useAt(viewer);
  const { window } = viewer.get();
  return (
    // Not an <input type=range>: that would take the fingers that zoom.
    <div
      className={className}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={window.from}
      aria-valuemax={window.to}
      aria-valuenow={Math.min(window.to, Math.max(window.from, at))}
      aria-valuetext={[format.dayTime(new Date(at)), ...said(at)].join('; ')}
      onKeyDown={(event) => onKey(viewer, event)}
    />
  );
}
