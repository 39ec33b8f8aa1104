// The lanes: each with its name, what it says at the instant that is read, and its spans.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormat } from '../../i18n/format';
import { lanesPath } from '../../screen/DayLink';
import { Canvas } from './Canvas';
import day from './Day.module.css';
import { useInks } from './inks';
import classes from './Lanes.module.css';
import { type Lane, type LaneGroup, type Lanes, laneAt } from './lanes';
import { paintLane } from './paint-lanes';
import { useAt } from './Reading';
import type { Viewer } from './view';
import type { Window } from './window';

/** What a lane is called, and what it says at an instant. */
export function useSaying(): (
  lane: Lane,
  lanes: Lanes,
  at: number,
  window: Window,
) => { name: string; word: string; was: string } {
  const { t } = useTranslation();
  return (lane, lanes, at, window) => {
    const span = laneAt(lane, lanes, at, window);
    if (span === 'nothing' || span === 'unknown')
      return { name: nameOf(lane), word: t(span === 'nothing' ? 'day.nothing' : 'day.unknown'), was: span };
    return { name: nameOf(lane), word: wordOf(span), was: span.state };
  };

  function nameOf(lane: Lane): string {
    if (lane.kind === 'truth') return lane.name;
    const kind = t(`day.lanes.kind.${lane.kind}`);
    if (lane.kind === 'hold' && lane.part) return `${kind} · ${t(`day.lanes.part.${lane.part}`)}`;
    return lane.kind === 'alert' || lane.kind === 'outcome' ? `${kind} · ${lane.name}` : kind;
  }

  function wordOf({ state, text }: Lane['spans'][number]): string {
    if (state === 'mark') return text ?? '';
    // What decides and what became of a command is a sentence of its own.
    const word = t(`day.lanes.state.${state}`);
    return text === null ? word : `${word} · ${text}`;
  }
}

/** The words of a lane's spans. */
export function useWords() {
  const saying = useSaying();
  return (lane: Lane, lanes: Lanes, at: number) => saying(lane, lanes, at, { from: at, to: at + 1 });
}

interface Props {
  viewer: Viewer;
  lanes: Lanes;
  groups: readonly LaneGroup[];
  nights: readonly Window[];
}

export function LaneRows({ viewer, lanes, groups, nights }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const at = useAt(viewer);
  return groups.map(({ rule, lanes: own }) => (
    <div key={rule?.id ?? own[0]?.key} className={day['kind']} data-lanes-of={rule?.id}>
      {rule && (
        <h2>
          <Link to={lanesPath({ rule: rule.id }, Math.round(at))}>
            {t('day.lanes.rule', { name: rule.name })}
          </Link>
        </h2>
      )}
      <ul>
        {own.map((lane) => (
          <Row key={lane.key} viewer={viewer} lane={lane} lanes={lanes} at={at} nights={nights} />
        ))}
      </ul>
      {own.some(({ cut }) => cut !== null) && (
        <p className={day['note']}>
          {t('day.lanes.cut', {
            time: format.dayTime(new Date(Math.min(...own.flatMap(({ cut }) => cut ?? [])))),
          })}
        </p>
      )}
    </div>
  ));
}

interface RowProps {
  viewer: Viewer;
  lane: Lane;
  lanes: Lanes;
  at: number;
  nights: readonly Window[];
}

function Row({ viewer, lane, lanes, at, nights }: RowProps) {
  const saying = useSaying();
  const { name, word, was } = saying(lane, lanes, at, viewer.get().window);
  return (
    <li data-lane={lane.kind} data-state={was}>
      <p>
        <span className={day['name']}>{name}</span>
        <span className={`${day['was']} ${classes['was']}`}>{word}</span>
      </p>
      <Drawing viewer={viewer} lane={lane} lanes={lanes} nights={nights} />
    </li>
  );
}

/** What only moves the line draws no lane again. */
const Drawing = memo(function Drawing({ viewer, lane, lanes, nights }: Omit<RowProps, 'at'>) {
  const inks = useInks();
  return (
    <Canvas
      viewer={viewer}
      className={day['strip']}
      draw={(to, box) => paintLane(to, box, inks, lane, lanes, nights, viewer.get().window)}
    />
  );
});
