// The lanes as tables of their spans: for who does not see the drawing, and who wants the instants.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import chart from '../../ui/Chart.module.css';
import { useWords } from './LaneRows';
import classes from './Lanes.module.css';
import type { Lane, LaneGroup, Lanes } from './lanes';

/** The latest spans of a lane; a lane may have 1,500. */
const MOST_ROWS = 200;

interface Props {
  farmId: string;
  lanes: Lanes;
  groups: readonly LaneGroup[];
}

export function LaneTables({ farmId, lanes, groups }: Props) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <details className={chart['table']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('day.lanes.table')}</summary>
      {open &&
        groups.map(({ rule, lanes: own }) =>
          own.map((lane) => (
            <Spans
              key={lane.key}
              farmId={farmId}
              lanes={lanes}
              lane={lane}
              {...(rule && { rule: rule.name })}
            />
          )),
        )}
    </details>
  );
}

function Spans({ farmId, lanes, lane, rule }: { farmId: string; lanes: Lanes; lane: Lane; rule?: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useWords(farmId);
  const { name } = words(lane, lanes, lane.spans[0]?.from ?? 0);
  const title = [rule && t('day.lanes.rule', { name: rule }), name].filter(Boolean).join(' · ');
  const shown = lane.spans.slice(-MOST_ROWS);
  const when = (at: number) => format.exactTime(new Date(at));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`${chart['scroll']} ${classes['spans']}`} tabIndex={0} aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t('day.lanes.from')}</th>
            <th scope="col">{t('day.lanes.to')}</th>
            <th scope="col">{t('day.lanes.what')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((span) => (
            <tr key={`${span.from} ${span.to} ${span.state} ${span.text}`}>
              <th scope="row">{when(span.from)}</th>
              <td>{span.to === span.from ? '' : when(span.to)}</td>
              <td>{words(lane, lanes, span.from).word}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
