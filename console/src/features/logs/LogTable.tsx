// A page of log entries: a table, and cards on a phone, which stay rows of a table for those who hear them.
import { useTranslation } from 'react-i18next';
import More from '~icon/ChevronRight';
import { type DomainWords, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { StatePill } from '../../ui/StatePill';
import classes from './LogTable.module.css';
import type { LogEntry } from './queries';
import { automatic, resultWords, typeWords } from './words';

interface Props {
  entries: readonly LogEntry[];
  onOpen: (entry: LogEntry) => void;
}

export function LogTable({ entries, onOpen }: Props) {
  const { t } = useTranslation();
  const columns = [
    t('logs.timestamp'),
    t('logs.type'),
    t('logs.action'),
    t('logs.deviceOrRule'),
    t('logs.user'),
    t('logs.result'),
    t('logs.scope'),
  ];
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: a table drawn as cards loses its roles otherwise
    <table className={classes['table']} role="table">
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((name) => (
            <th key={name} role="columnheader" scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} onOpen={onOpen} />
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  );
}

function Row({ entry, onOpen }: { entry: LogEntry; onOpen: Props['onOpen'] }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const at = new Date(entry.timestamp);
  const type = typeWords[entry.type];
  const result = resultWords[entry.result];
  const subjects = subjectsOf(entry);
  const user = entry.userName ?? (automatic[entry.type] ? t('logs.automatic') : undefined);
  const scope = scopeText(entry, words);
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: a table drawn as cards loses its roles otherwise
    <tr role="row" data-entry={entry.id}>
      <td role="cell" className={classes['when']}>
        <time dateTime={at.toISOString()}>
          <span>{format.time(at)}</span> <span>{format.shortDate(at)}</span>
        </time>
      </td>
      <td role="cell" className={classes['type']}>
        <span>
          <type.icon size={20} aria-hidden />
          {t(type.label)}
        </span>
      </td>
      <td role="cell" className={classes['action']}>
        <button type="button" aria-haspopup="dialog" onClick={() => onOpen(entry)}>
          <span>{entry.action}</span>
          <More size={20} aria-hidden />
        </button>
      </td>
      <td role="cell" className={classes['subject']} data-empty={subjects.length === 0}>
        {subjects.length === 0 ? t('logs.nothing') : subjects.map((name) => <span key={name}>{name}</span>)}
      </td>
      <td role="cell" data-label={t('logs.user')} data-empty={user === undefined}>
        {user ?? t('logs.nothing')}
      </td>
      <td role="cell" className={classes['result']}>
        <StatePill tone={result.tone} icon={result.icon} word={t(result.label)} />
      </td>
      <td role="cell" data-label={t('logs.scope')} data-empty={scope === undefined}>
        {scope ?? t('logs.nothing')}
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  );
}

/** The device, and the rule under it. */
function subjectsOf({ deviceName, deviceId, ruleName, ruleId }: LogEntry): string[] {
  const device = deviceName ?? deviceId;
  const rule = ruleName ?? ruleId;
  return [device, rule].filter((name): name is string => typeof name === 'string' && name !== '');
}

/** Where it happened, by the names of then. */
export function scopeText({ scope }: LogEntry, words: DomainWords): string | undefined {
  if (!scope) return undefined;
  return scope.type === 'farm' ? words.placeKind('farm') : (scope.path ?? words.placePath(scope));
}
