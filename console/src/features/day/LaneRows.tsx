// The lanes: each with its name, what it says at the instant that is read, and its spans.
import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { devicesQuery } from '../../api/queries';
import { actionSpecs, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { lanesPath } from '../../screen/DayLink';
import { Link } from '../../screen/Link';
import { Canvas } from './Canvas';
import day from './Day.module.css';
import { useInks } from './inks';
import classes from './Lanes.module.css';
import { type Lane, type LaneGroup, type LaneSpan, type Lanes, laneAt } from './lanes';
import { paintLane } from './paint-lanes';
import { useAt } from './Reading';
import type { Viewer } from './view';
import type { Window } from './window';

/** What a device's values are of, as far as it has some: how one is said, and the highest. */
export function useValues(
  farmId: string,
): (id: string | null) => { text: (value: number) => string; most: number } | undefined {
  const words = useDomain();
  const devices = useQuery(devicesQuery(farmId)).data;
  return (id) => {
    const actions = devices?.find((device) => device.id === id)?.supportedActions;
    const valued = actions?.find(({ action }) =>
      ['percent', 'flow'].includes(actionSpecs[action].unit ?? ''),
    );
    if (!valued) return undefined;
    const { action, maxValue } = valued;
    return {
      text: (value) => words.actionAmount(action, value),
      most: maxValue ?? actionSpecs[action].max ?? Number.NaN,
    };
  };
}

/** What a lane is called, and what it says at an instant. */
export function useSaying(
  farmId: string,
): (lane: Lane, lanes: Lanes, at: number, window: Window) => { name: string; word: string; was: string } {
  const { t } = useTranslation();
  const values = useValues(farmId);
  return (lane, lanes, at, window) => {
    const span = laneAt(lane, lanes, at, window);
    if (span === 'nothing' || span === 'unknown')
      return { name: nameOf(lane), word: t(span === 'nothing' ? 'day.nothing' : 'day.unknown'), was: span };
    return { name: nameOf(lane), word: wordOf(span, lane), was: span.state };
  };

  function nameOf(lane: Lane): string {
    if (lane.kind === 'truth') return lane.name;
    const kind = t(`day.lanes.kind.${lane.kind}`);
    if (lane.kind === 'hold' && lane.part) return `${kind} · ${t(`day.lanes.part.${lane.part}`)}`;
    const named = ['alert', 'outcome', 'online'].includes(lane.kind) && lane.name !== '';
    return named ? `${kind} · ${lane.name}` : kind;
  }

  function wordOf({ state, text, value }: LaneSpan, { of }: Lane): string {
    if (state === 'mark') return text ?? '';
    const amount = state === 'on' && value !== null && value > 0 ? values(of)?.text(value) : undefined;
    if (amount) return amount;
    // What decides and what became of a command is a sentence of its own.
    const word = t(`day.lanes.state.${state}`);
    return text === null ? word : `${word} · ${text}`;
  }
}

/** The words of a lane's spans. */
export function useWords(farmId: string) {
  const saying = useSaying(farmId);
  return (lane: Lane, lanes: Lanes, at: number) => saying(lane, lanes, at, { from: at, to: at + 1 });
}

interface Props {
  farmId: string;
  viewer: Viewer;
  lanes: Lanes;
  groups: readonly LaneGroup[];
  nights: readonly Window[];
}

export function LaneRows({ farmId, viewer, lanes, groups, nights }: Props) {
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
          <Row
            key={lane.key}
            farmId={farmId}
            viewer={viewer}
            lane={lane}
            lanes={lanes}
            at={at}
            nights={nights}
          />
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
  farmId: string;
  viewer: Viewer;
  lane: Lane;
  lanes: Lanes;
  at: number;
  nights: readonly Window[];
}

export function Row({ farmId, viewer, lane, lanes, at, nights }: RowProps) {
  const saying = useSaying(farmId);
  const most = useValues(farmId)(lane.of)?.most;
  const { name, word, was } = saying(lane, lanes, at, viewer.get().window);
  return (
    <li data-lane={lane.kind} data-state={was}>
      <p>
        <span className={day['name']}>{name}</span>
        <span className={`${day['was']} ${classes['was']}`}>{word}</span>
      </p>
      <Drawing
        viewer={viewer}
        lane={lane}
        lanes={lanes}
        nights={nights}
        className={day['strip']}
        {...(most !== undefined && { most })}
      />
    </li>
  );
}

interface DrawingProps {
  viewer: Viewer;
  lane: Lane;
  lanes: Lanes;
  nights: readonly Window[];
  /** The highest value that the lane may have. */
  most?: number;
  className: string | undefined;
}

/** What only moves the line draws no lane again. */
export const Drawing = memo(function Drawing({ viewer, lane, lanes, nights, most, className }: DrawingProps) {
  const inks = useInks();
  return (
    <Canvas
      viewer={viewer}
      className={className}
      draw={(to, box) => paintLane(to, box, inks, lane, lanes, nights, viewer.get().window, most)}
    />
  );
});
