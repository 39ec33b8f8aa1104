// Who was told of an incident, when, by what and whether it arrived; and whom the farm's chain tells next.
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { useRoleName } from '../../i18n/roles';
import { useWhen } from '../../i18n/when';
import { Panel } from '../../ui/Panel';
import { channelNames } from './AlertCard';
import classes from './Incident.module.css';
import type { Incident } from './incident';

type Told = Incident['told'][number];

const states: Readonly<Record<string, ParseKeys>> = {
  QUEUED: 'incident.told.QUEUED',
  SENT: 'incident.told.SENT',
  DELIVERED: 'incident.told.DELIVERED',
  READ: 'incident.told.READ',
  FAILED: 'incident.told.FAILED',
};
const reasons: Readonly<Record<string, ParseKeys>> = {
  unverified: 'incident.told.unverified',
  no_gateway: 'incident.told.noGateway',
  answered: 'incident.told.answered',
  over: 'incident.told.over',
  folded: 'incident.told.folded',
  over_share: 'incident.told.overShare',
};

export function WhoWasTold({ incident }: { incident: Incident }) {
  const { t } = useTranslation();
  const when = useWhen();
  const { told, next } = incident;
  return (
    <Panel title={t('incident.told.title')}>
      {told.length === 0 && <p className={classes['quiet']}>{t('incident.told.nobody')}</p>}
      <ol className={classes['rows']}>
        {told.toReversed().map((message) => (
          <li key={message.id}>
            <Message message={message} />
            <time dateTime={new Date(message.createdAt).toISOString()}>{when(message.createdAt)}</time>
          </li>
        ))}
      </ol>
      {next && <Next next={next} />}
    </Panel>
  );
}

function Message({ message }: { message: Told }) {
  const { t } = useTranslation();
  const when = useWhen();
  const format = useFormat();
  const { name, channel, state, reason, nextTryAt, step } = message;
  const why = reason === null ? undefined : reasons[reason];
  const waits = state === 'QUEUED' && nextTryAt !== null && nextTryAt > Date.now();
  const way = Object.hasOwn(channelNames, channel)
    ? t(channelNames[channel as keyof typeof channelNames])
    : channel;
  const stands = waits
    ? t('incident.told.until', { time: when(nextTryAt) })
    : t(why ?? states[state] ?? 'incident.told.QUEUED');
  return (
    <span className={classes['grow']}>
      <b>{name ?? t('incident.told.gone')}</b>
      <small>
        {way}: {stands}
      </small>
      {step !== null && <small>{t('told.step', { n: format.count(step + 1) })}</small>}
    </span>
  );
}

function Next({ next }: { next: NonNullable<Incident['next']> }) {
  const { t } = useTranslation();
  const when = useWhen();
  const roleName = useRoleName();
  const { who, people, at } = next;
  const names = people.length > 0 ? people.join(', ') : who.kind === 'role' ? roleName(who.role) : '';
  return <p className={classes['hint']}>{t('incident.told.next', { time: when(at), names })}</p>;
}
