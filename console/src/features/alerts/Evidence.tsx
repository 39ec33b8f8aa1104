// The sensors on which an incident stands: what each says, how old that is, and which are left out and why.
import { useTranslation } from 'react-i18next';
import Out from '~icon/PlugConnectedX';
import { useAgo } from '../../i18n/ago';
import { useDomain } from '../../i18n/domain';
import { useWhen } from '../../i18n/when';
import { Panel } from '../../ui/Panel';
import { evidenceNames } from './AlertCard';
import classes from './Incident.module.css';
import type { Condition, Incident } from './incident';
import { useNow } from './words';

export function Evidence({ incident }: { incident: Incident }) {
  const { t } = useTranslation();
  const seen = incident.conditions.flatMap((condition) =>
    condition.now ? [{ condition, now: condition.now }] : [],
  );
  // Two limits of one quantity rest on the same sensors.
  const once = seen.filter(
    ({ condition }, index) =>
      seen.findIndex((other) => other.condition.sensorType === condition.sensorType) === index,
  );
  return (
    <Panel title={t('incident.sensors')}>
      {once.length === 0 && <p className={classes['quiet']}>{t('incident.noSensors')}</p>}
      {once.map(({ condition, now }) => (
        <Sensors key={condition.sensorType} condition={condition} now={now} several={once.length > 1} />
      ))}
    </Panel>
  );
}

interface Props {
  condition: Condition;
  now: NonNullable<Condition['now']>;
  several: boolean;
}

function Sensors({ condition: { sensorType }, now: { evidence, sensors }, several }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const when = useWhen();
  const sayAgo = useAgo();
  const time = useNow();
  return (
    <>
      {several && <h3 className={classes['part']}>{words.quantity(sensorType)}</h3>}
      <p className={classes['hint']}>{t(evidenceNames[evidence])}</p>
      <ul className={classes['rows']}>
        {sensors.map(({ id, name, counts, value, readAt, remembered }) => (
          <li key={id} data-counts={counts}>
            <span className={classes['grow']}>
              {name}
              {remembered && <small>{t('incident.remembered')}</small>}
            </span>
            {counts === 'fresh' && value !== null ? (
              <span className={classes['figure']}>
                <b>{words.amount(sensorType, value)}</b>
                {readAt !== null && <small>{sayAgo(readAt, time)}</small>}
              </span>
            ) : (
              <span className={classes['out']}>
                <Out size={18} aria-hidden />
                {counts === 'unknown' || readAt === null
                  ? t('incident.outNever')
                  : t('incident.outSince', { time: when(readAt) })}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
