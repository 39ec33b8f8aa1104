// One alert rule: how it stands, what it watches, whom it tells.
import type { Icon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ParseKeys } from 'i18next';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Go from '~icon/ArrowRight';
import OffIcon from '~icon/BellOff';
import RaisedIcon from '~icon/BellRinging';
import HoldingIcon from '~icon/Hourglass';
import NoDataIcon from '~icon/PlugConnectedX';
import { useMay } from '../../api/permissions';
import { devicesQuery } from '../../api/queries';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { DayLink } from '../../screen/DayLink';
import { EditDelete } from '../../screen/EditDelete';
import { IncidentState } from '../../screen/IncidentState';
import { incidentPath } from '../../screen/incident';
import { Link } from '../../screen/Link';
import { StatePill } from '../../ui/StatePill';
import { Switch } from '../../ui/Switch';
import type { Tone } from '../../ui/tone';
import classes from './Alerts.module.css';
import {
  type Alert,
  type Channel,
  type Evidence,
  type Polyhouse,
  type Severity,
  type Standing,
  sensors,
  standingOf,
  subscribersOf,
} from './alert';
import { onlyIfOf } from './only-if';
import { useOnlyIfText, useQuantityName, useSpanText } from './words';

interface Props {
  farmId: string;
  alert: Alert;
  polyhouses: readonly Polyhouse[] | undefined;
  busy: boolean;
  onToggle: () => void;
  onEdit: () => void;
  onDelete: () => void;
}

function OnlyIfFact({ farmId, alert }: { farmId: string; alert: Alert }) {
  const { t } = useTranslation();
  const label = useOnlyIfText();
  const devices = useQuery(devicesQuery(farmId)).data ?? [];
  return (
    <div>
      <dt>{t('alerts.onlyIf.label')}</dt>
      <dd>{label(onlyIfOf(alert.only_if), devices)}</dd>
    </div>
  );
}

export const channelNames: Record<Channel, ParseKeys> = {
  EMAIL: 'alerts.channel.EMAIL',
  WHATSAPP: 'alerts.channel.WHATSAPP',
  PUSH: 'alerts.channel.PUSH',
  SMS: 'alerts.channel.SMS',
};

export const evidenceNames: Record<Evidence, ParseKeys> = {
  worst: 'alerts.evidence.worst',
  mean: 'alerts.evidence.mean',
};

export const severityNames: Record<Severity, ParseKeys> = {
  critical: 'alerts.severity.critical',
  warning: 'alerts.severity.warning',
  info: 'alerts.severity.info',
};

export function AlertCard({ farmId, alert, polyhouses, busy, onToggle, onEdit, onDelete }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const domain = useDomain();
  const spanText = useSpanText();
  const title = useId();
  const { name, lastTriggered } = alert;
  const may = useMay();
  const handles = may('alerts:write');
  const people = subscribersOf(alert);
  const told = alert.channels ?? [];
  return (
    <article className={classes['card']} aria-labelledby={title} data-standing={standingOf(alert)}>
      <div className={classes['cardHead']}>
        <h2 id={title}>{name}</h2>
        <State alert={alert} />
      </div>
      <Conditions alert={alert} />
      <dl className={classes['facts']}>
        <div>
          <dt>{t('alerts.where')}</dt>
          <dd>{domain.placePath(alert.scope ?? { type: 'farm' }, polyhouses)}</dd>
        </div>
        <div>
          <dt>{t('alerts.evidence.label')}</dt>
          <dd>{t(evidenceNames[alert.evidence ?? 'mean'])}</dd>
        </div>
        {alert.only_if && <OnlyIfFact farmId={farmId} alert={alert} />}
        <div>
          <dt>{t('alerts.severity.label')}</dt>
          <dd>{t(severityNames[alert.severity])}</dd>
        </div>
        <div>
          <dt>{t('alerts.channels')}</dt>
          <dd>
            {told.length > 0
              ? format.list(told.map((channel) => t(channelNames[channel])))
              : t('alerts.noChannel')}
          </dd>
        </div>
        <div>
          <dt>{t('alerts.lastTriggered')}</dt>
          <dd>
            {lastTriggered === null || lastTriggered === undefined
              ? t('alerts.never')
              : format.dayTime(new Date(lastTriggered))}
          </dd>
        </div>
        <div>
          <dt>{t('alerts.repeats')}</dt>
          <dd>{spanText(alert.repeatsIn, alert.repeatUnit)}</dd>
        </div>
        <div className={classes['wideFact']}>
          <dt>
            {t('alerts.subscribers')} <span className={classes['count']}>{format.count(people.length)}</span>
          </dt>
          {may('users:read') && people.length > 0 && <dd>{people.join(', ')}</dd>}
        </div>
      </dl>
      {typeof lastTriggered === 'number' && (
        <DayLink place={alert.scope ?? { type: 'farm' }} at={lastTriggered} />
      )}
      {handles ? (
        <div className={classes['cardFoot']}>
          <Switch
            on={alert.isActive}
            word={t(alert.isActive ? 'alerts.active' : 'alerts.inactive')}
            label={t('alerts.activeOf', { name })}
            disabled={busy}
            onChange={onToggle}
          />
          <EditDelete name={name} onEdit={onEdit} onDelete={onDelete} deletable={!busy} />
        </div>
      ) : null}
    </article>
  );
}

const looks: Record<Standing, { tone: Tone; word: ParseKeys; icon?: Icon }> = {
  off: { tone: 'quiet', word: 'alerts.state.off', icon: OffIcon },
  raised: { tone: 'bad', word: 'alerts.state.raised', icon: RaisedIcon },
  noData: { tone: 'warn', word: 'alerts.state.noData', icon: NoDataIcon },
  holding: { tone: 'warn', word: 'alerts.state.holding', icon: HoldingIcon },
  quiet: { tone: 'good', word: 'alerts.state.quiet' },
};

/** The state in a glance, and in a line what it waits for. */
function State({ alert }: { alert: Alert }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { raised, raisedSince, unknownSince, waitsFor, condition, holding, incident } = alert.status;
  const standing = standingOf(alert);
  const look = looks[standing];
  const icon = look.icon && { icon: look.icon };
  const time = (at: number) => format.dayTime(new Date(at));
  const word =
    !raised || raisedSince === null
      ? t(look.word)
      : t('alerts.state.raisedSince', { time: time(raisedSince) });
  return (
    <div className={classes['state']}>
      <StatePill tone={look.tone} word={word} {...icon} />
      {standing === 'noData' && <p>{t('alerts.noDataHint')}</p>}
      {raised && unknownSince !== null && <p>{t('alerts.unknownSince', { time: time(unknownSince) })}</p>}
      {raised && condition === null && (
        <p>
          {waitsFor.length > 0
            ? t('alerts.waitsFor', { sensors: format.list(waitsFor.map(({ name }) => name)) })
            : t('alerts.raisedNoData')}
        </p>
      )}
      {holding && (
        <p>
          <Progress since={holding.since} due={holding.due} raised={raised} />
        </p>
      )}
      {incident && (
        <>
          <IncidentState incident={incident} />
          <Link className={classes['look'] ?? ''} to={incidentPath(incident.id)}>
            {t('incident.look')}
            <Go size={20} aria-hidden />
          </Link>
        </>
      )}
    </div>
  );
}

/** How long it has held already; it counts by itself. */
function Progress({ since, due, raised }: { since: number; due: number; raised: boolean }) {
  const { t } = useTranslation();
  const domain = useDomain();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const total = (due - since) / 1_000;
  const progress = domain.progress(Math.min((now - since) / 1_000, total), total);
  return t(raised ? 'alerts.clearing' : 'alerts.holding', { progress });
}

function Conditions({ alert }: { alert: Alert }) {
  const { t } = useTranslation();
  const domain = useDomain();
  const quantity = useQuantityName();
  const joint = t(alert.match === 'any' ? 'alerts.or' : 'alerts.and');
  return (
    <ul className={classes['conditions']} aria-label={t('alerts.conditions')}>
      {alert.conditions.map(({ sensor, operator, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity of their own, and no state
        <li key={index}>
          {index > 0 && <span className={classes['joint']}>{joint}</span>}
          <span className={classes['condition']}>
            {t('alerts.condition', {
              quantity: quantity(sensor),
              operator,
              amount: domain.amount(sensors[sensor].type, value),
            })}
          </span>
        </li>
      ))}
    </ul>
  );
}
