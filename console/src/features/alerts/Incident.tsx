// An alert that was raised (/alerts/:incident): what is wrong, how it went, on which sensors it stands, what happened since and
// who answered; at the foot what can be done.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import Back from '~icon/ArrowLeft';
import { ApiError } from '../../api/errors';
import type { FarmPageProps } from '../../api/farms';
import { useMay } from '../../api/permissions';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useWhen } from '../../i18n/when';
import { IncidentState } from '../../screen/IncidentState';
import { Link } from '../../screen/Link';
import { QueryState } from '../../screen/QueryState';
import { Banner } from '../../ui/Banner';
import { Notice } from '../../ui/Notice';
import { severityNames } from './AlertCard';
import { Curves } from './Curves';
import { Evidence } from './Evidence';
import classes from './Incident.module.css';
import { IncidentActs, OtherActs } from './IncidentActs';
import { Happened, WhoAnswered } from './IncidentLog';
import { Helps } from './IncidentRemedy';
import { WhoWasTold } from './IncidentTold';
import { type Incident as IncidentData, incidentQuery, type NewAnswer, useAnswer } from './incident';
import { useLimitText, useNow } from './words';

export default function Incident({ farm }: FarmPageProps) {
  const { t } = useTranslation();
  const { incident: asked = '' } = useParams();
  const incident = useQuery(incidentQuery(farm.id, asked));
  const { error } = incident;
  if (error instanceof ApiError && error.status === 404)
    return (
      <Notice title={t('incident.title')} text={t('incident.unknown')}>
        <AllAlerts />
      </Notice>
    );
  return (
    <div className={classes['page']} aria-busy={incident.isPending}>
      <AllAlerts />
      {!incident.data && <h1>{t('incident.title')}</h1>}
      <QueryState query={incident} failed={t('incident.failed')}>
        {(known) => <Shown farmId={farm.id} asked={asked} incident={known} />}
      </QueryState>
    </div>
  );
}

function AllAlerts() {
  const { t } = useTranslation();
  return (
    <Link to="/alerts" className={classes['back'] ?? ''}>
      <Back size={20} aria-hidden />
      {t('incident.all')}
    </Link>
  );
}

function Shown({ farmId, asked, incident }: { farmId: string; asked: string; incident: IncidentData }) {
  const { t } = useTranslation();
  const may = useMay();
  const { mutate, isPending, error } = useAnswer(farmId, asked);
  const answering = {
    incident,
    busy: isPending,
    onSay: (body: NewAnswer) => mutate({ id: incident.id, body }),
  };
  const answers = incident.state !== 'over' && may('alerts:answer');
  return (
    <>
      <Head incident={incident} />
      {error && <Banner tone="bad" text={failureText(t, error, t('incident.answerFailed'))} />}
      {answers && <OtherActs {...answering} />}
      <div className={classes['columns']}>
        <div className={classes['main']}>
          {incident.remedy && <Helps remedy={incident.remedy} incident={incident} />}
          <Curves farmId={farmId} incident={incident} />
          <Evidence incident={incident} />
        </div>
        <div className={classes['side']}>
          <WhoAnswered incident={incident} />
          <WhoWasTold incident={incident} />
          <Happened farmId={farmId} incident={incident} />
          {may('alerts:write') && incident.ended !== 'deleted' && (
            <Link
              className={classes['link'] ?? ''}
              to={`/alerts?edit=${encodeURIComponent(incident.alertId)}`}
            >
              {t('incident.editAlert')}
            </Link>
          )}
        </div>
      </div>
      {answers && <IncidentActs {...answering} />}
    </>
  );
}

/** What is wrong, where and since when, and where it stands. */
function Head({ incident }: { incident: IncidentData }) {
  const { t } = useTranslation();
  const words = useDomain();
  const when = useWhen();
  const limit = useLimitText();
  const now = useNow();
  const { state, overAt, raisedAt, unknownSince } = incident;
  const lasted = Math.max(0, (overAt ?? now) - raisedAt);
  // Of hours, seconds say nothing.
  const shown = lasted < 60_000 ? Math.floor(lasted / 1_000) : Math.floor(lasted / 60_000) * 60;
  const duration = words.duration(shown);
  const over = state === 'over';
  return (
    <header className={classes['head']} data-state={state} data-severity={incident.severity}>
      <p className={classes['severity']}>{t(severityNames[incident.severity])}</p>
      <h1>{incident.name || t('incident.title')}</h1>
      <ul className={classes['sentences']} aria-label={t('incident.wrong')}>
        {incident.conditions.map((condition, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity of their own, and no state
          <li key={index}>
            {t('incident.sentence', {
              place: words.placePath(condition.now?.place ?? incident.place),
              quantity: words.quantity(condition.sensorType),
              value: words.amount(condition.sensorType, condition.now?.value ?? Number.NaN),
              limit: limit(condition),
            })}
          </li>
        ))}
      </ul>
      <p className={classes['since']}>
        {over && overAt !== null
          ? t('incident.lasted', { from: when(raisedAt), to: when(overAt), duration })
          : t('incident.since', { time: when(raisedAt), duration })}
      </p>
      {unknownSince !== null && (
        <p className={classes['unknown']}>{t('alerts.unknownSince', { time: when(unknownSince) })}</p>
      )}
      {incident.ended !== null && <p>{t(`incident.ended.${incident.ended}`)}</p>}
      <div role="status" className={classes['stands']}>
        <IncidentState incident={incident} />
      </div>
    </header>
  );
}
