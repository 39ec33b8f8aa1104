// Everything that one log entry says, and what became of the command that it is about.
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { DayLink, DecidedLink, LanesLink } from '../../screen/DayLink';
import { Ladder, RuleWhy } from '../../screen/explained/parts';
import { Unfolding } from '../../screen/explained/Unfolding';
import { Banner } from '../../ui/Banner';
import { StatePill } from '../../ui/StatePill';
import { CommandLife } from './CommandLife';
import { detailLines } from './details';
import classes from './LogDetails.module.css';
import { scopeText } from './LogTable';
import type { LogEntry } from './queries';
import { automatic, outcomeOf, typeWords } from './words';

export function LogDetails({ farmId, entry }: { farmId: string; entry: LogEntry }) {
  const { t } = useTranslation();
  const format = useFormat();
  const at = new Date(entry.timestamp);
  const type = typeWords[entry.type];
  const result = outcomeOf(entry);
  const words = useDomain();
  const lines: { name: string; text: string | undefined }[] = [
    { name: t('logs.type'), text: t(type.label) },
    { name: t('logs.device'), text: entry.deviceName ?? entry.deviceId ?? undefined },
    { name: t('logs.rule'), text: entry.ruleName ?? entry.ruleId ?? undefined },
    {
      name: t('logs.user'),
      text: entry.userName ?? (automatic[entry.type] ? t('logs.automatic') : undefined),
    },
    { name: t('logs.scope'), text: scopeText(entry, words) },
    ...detailLines(entry, t, words, format),
  ];
  return (
    <div className={classes['details']}>
      <div className={classes['head']}>
        <StatePill tone={result.tone} icon={result.icon} word={t(result.label)} />
        <time dateTime={at.toISOString()}>{format.exactTime(at)}</time>
      </div>
      <p className={classes['action']}>{entry.action}</p>
      {entry.errorMessage && <Banner tone="bad" text={entry.errorMessage} />}
      <dl>
        {lines
          .filter(({ text }) => text !== undefined)
          .map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
      </dl>
      {entry.ruleId && (
        <LanesLink of={{ rule: entry.ruleId }} at={entry.timestamp} name={entry.ruleName ?? entry.ruleId} />
      )}
      {entry.deviceId && !isOfController(entry) && (
        <LanesLink
          of={{ device: entry.deviceId }}
          at={entry.timestamp}
          name={entry.deviceName ?? entry.deviceId}
        />
      )}
      {entry.scope && <DecidedLink place={entry.scope} at={entry.timestamp} />}
      {entry.scope && <DayLink place={entry.scope} at={entry.timestamp} />}
      {(entry.ruleId || entry.deviceId) && (
        <Unfolding title={t('why.explained.at')}>
          {entry.ruleId && <RuleWhy farmId={farmId} ruleId={entry.ruleId} at={entry.timestamp} />}
          {entry.deviceId && <Ladder farmId={farmId} deviceId={entry.deviceId} at={entry.timestamp} />}
        </Unfolding>
      )}
      {entry.details.commands.map((command) => (
        <CommandLife key={command.commandId} command={command} />
      ))}
    </div>
  );
}

/** What tells of a controller has its MAC in the place of a device. */
function isOfController({ details: { kind } }: LogEntry): boolean {
  return kind === 'controller_offline' || kind === 'controller_online';
}
