// A page of log entries on a phone: day by day, each in a few lines to look over. What is left out is in its details.
import { VisuallyHidden } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import More from '~icon/ChevronRight';
import { useDomain } from '../../i18n/domain';
import { type Format, useFormat } from '../../i18n/format';
import classes from './LogList.module.css';
import { scopeText, subjectsOf } from './LogTable';
import type { LogEntry } from './queries';
import { outcomeOf, typeWords } from './words';

/** A line ends with it rather than beginning with it. */
const DOT = '\u00a0· ';

interface Props {
  entries: readonly LogEntry[];
  onOpen: (entry: LogEntry) => void;
}

export function LogList({ entries, onOpen }: Props) {
  const format = useFormat();
  return (
    <div className={classes['days']}>
      {daysOf(entries, format).map(([day, ofDay]) => (
        <Day key={day} entries={ofDay} onOpen={onOpen} />
      ))}
    </div>
  );
}

/** The entries by the farm's days, in their order. */
function daysOf(entries: readonly LogEntry[], format: Format): [string, LogEntry[]][] {
  const days = new Map<string, LogEntry[]>();
  for (const entry of entries) {
    const day = format.isoDay(new Date(entry.timestamp));
    const known = days.get(day);
    if (known) known.push(entry);
    else days.set(day, [entry]);
  }
  return [...days];
}

function Day({ entries, onOpen }: Props) {
  const format = useFormat();
  const id = useId();
  const [first] = entries;
  return (
    <div>
      <h2 id={id} className={classes['day']}>
        {first && format.longDate(new Date(first.timestamp))}
      </h2>
      {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
      <ul role="list" aria-labelledby={id} className={classes['entries']}>
        {entries.map((entry) => (
          <li key={entry.id} data-entry={entry.id}>
            <Entry entry={entry} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Entry({ entry, onOpen }: { entry: LogEntry; onOpen: Props['onOpen'] }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const at = new Date(entry.timestamp);
  const type = typeWords[entry.type];
  const { label, tone, icon: Outcome } = outcomeOf(entry);
  // Most entries are well: their word would stand on every line, and the others be lost among them.
  const isQuiet = tone === 'good' || tone === 'quiet';
  const unsaid = subjectsOf(entry).filter((name) => !entry.action.includes(name));
  const more = [scopeText(entry, words), ...unsaid, entry.userName].filter(Boolean);
  return (
    <button type="button" aria-haspopup="dialog" className={classes['entry']} onClick={() => onOpen(entry)}>
      <span className={classes['kind']} data-tone={tone}>
        <type.icon size={20} aria-hidden />
      </span>
      <span className={classes['text']}>
        <span className={classes['action']}>{entry.action}</span>{' '}
        <span className={classes['more']}>
          <span className={classes['outcome']} data-tone={tone}>
            <Outcome size={16} stroke={2.2} aria-hidden />
            {isQuiet ? <VisuallyHidden>{t(label)}</VisuallyHidden> : <b>{t(label)}</b>}
          </span>{' '}
          <time dateTime={at.toISOString()}>{format.clock(at)}</time>
          {more.map((text) => `${DOT}${text}`)}
        </span>{' '}
        <VisuallyHidden>{t(type.label)}</VisuallyHidden>
      </span>
      <More size={18} aria-hidden />
    </button>
  );
}
