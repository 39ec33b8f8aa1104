// A page of log entries where there is room for a table.
import { useTranslation } from 'react-i18next';
import More from '~icon/ChevronRight';
import { type DomainWords, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { StatePill } from '../../ui/StatePill';
import classes from './LogTable.module.css';
import type { LogEntry } from './queries';
import { automatic, outcomeOf, typeWords } from './words';

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
    <CardTable columns={columns}>
      {entries.map((entry) => (
        <Row key={entry.id} entry={entry} onOpen={onOpen} />
      ))}
    </CardTable>
  );
}

function Row({ entry, onOpen }: { entry: LogEntry; onOpen: Props['onOpen'] }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const at = new Date(entry.timestamp);
  const type = typeWords[entry.type];
  const result = outcomeOf(entry);
  const subjects = subjectsOf(entry);
  const user = entry.userName ?? (automatic[entry.type] ? t('logs.automatic') : undefined);
  const scope = scopeText(entry, words);
  return (
    <CardRow data-entry={entry.id}>
      <CardCell className={classes['when']}>
        <time dateTime={at.toISOString()}>
          <span>{format.time(at)}</span> <span>{format.shortDate(at)}</span>
        </time>
      </CardCell>
      <CardCell className={classes['type']}>
        <span>
          <type.icon size={20} aria-hidden />
          {t(type.label)}
        </span>
      </CardCell>
      <CardCell className={classes['action']}>
        <button type="button" aria-haspopup="dialog" onClick={() => onOpen(entry)}>
          <span>{entry.action}</span>
          <More size={20} aria-hidden />
        </button>
      </CardCell>
      <CardCell className={classes['subject']}>
        {subjects.length === 0 ? t('logs.nothing') : subjects.map((name) => <span key={name}>{name}</span>)}
      </CardCell>
      <CardCell>{user ?? t('logs.nothing')}</CardCell>
      <CardCell className={classes['result']}>
        <StatePill tone={result.tone} icon={result.icon} word={t(result.label)} />
      </CardCell>
      <CardCell>{scope ?? t('logs.nothing')}</CardCell>
    </CardRow>
  );
}

/** The device, and the rule under it. */
export function subjectsOf({ deviceName, deviceId, ruleName, ruleId }: LogEntry): string[] {
  const device = deviceName ?? deviceId;
  const rule = ruleName ?? ruleId;
  return [device, rule].filter((name): name is string => typeof name === 'string' && name !== '');
}

/** Where it happened, by the names of then. */
export function scopeText({ scope }: LogEntry, words: DomainWords): string | undefined {
  if (!scope) return undefined;
  return scope.type === 'farm' ? words.placeKind('farm') : (scope.path ?? words.placePath(scope));
}
