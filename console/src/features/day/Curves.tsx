// The curves and the line of the minute that is read, which runs through the strips below too. Who cannot see it moves the
// minute with keys and hears what was then.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { Canvas } from './Canvas';
import classes from './Day.module.css';
import { onKey } from './gestures';
import { useInks } from './inks';
import { type Course, type Limit, paintCurves, type Target } from './paint';
import { type Shown, useAt, useSayings } from './Reading';
import { usePicture } from './usePicture';
import type { Viewer } from './view';
import type { Window } from './window';

interface Props {
  viewer: Viewer;
  shown: readonly Shown[];
  targets: readonly Target[];
  limits: readonly Limit[];
  courses: readonly Course[];
  nights: readonly Window[];
}

export function Curves({ viewer, shown, targets, limits, courses, nights }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const inks = useInks(shown.map(({ curve }) => curve.scale));
  const picture = usePicture(shown, targets, limits, courses, nights);
  return (
    <>
      <ReadingLine viewer={viewer} />
      <Minute
        viewer={viewer}
        shown={shown}
        label={t('day.reading')}
        time={(at) => format.dayTime(new Date(at))}
      />
      <Canvas
        viewer={viewer}
        className={classes['curves']}
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
    </>
  );
}

/** The line moves without React: it follows a finger. */
function ReadingLine({ viewer }: { viewer: Viewer }) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const follow = () => {
      const { window, at } = viewer.get();
      const part = (at - window.from) / (window.to - window.from);
      if (!line.current) return;
      line.current.style.visibility = part >= 0 && part <= 1 ? 'visible' : 'hidden';
      line.current.style.insetInlineStart = `${part * 100}%`;
    };
    follow();
    return viewer.subscribe(follow);
  }, [viewer]);
  return <div ref={line} className={classes['line']} aria-hidden />;
}

function Minute({
  viewer,
  shown,
  label,
  time,
}: {
  viewer: Viewer;
  shown: readonly Shown[];
  label: string;
  time: (at: number) => string;
}) {
  const at = useAt(viewer);
  const sayings = useSayings()(shown, at);
  const { window } = viewer.get();
  const said = shown.map(({ text }, index) => `${text}: ${sayings[index]?.value}`);
  return (
    // Not an <input type=range>: that would take the fingers that zoom.
    <div
      className={classes['minute']}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={window.from}
      aria-valuemax={window.to}
      aria-valuenow={Math.min(window.to, Math.max(window.from, at))}
      aria-valuetext={[time(at), ...said].join('; ')}
      onKeyDown={(event) => onKey(viewer, event)}
    />
  );
}
