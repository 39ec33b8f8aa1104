// What people answered to an incident, and what rules and people did in its place since.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { devicesQuery, polyhousesQuery } from '../../api/queries';
import { failedLoad } from '../../i18n/failure';
import { useLanguage } from '../../i18n/i18n';
import { useWhen } from '../../i18n/when';
import { DecidedLink, dayPath, LanesLink, lanesPath } from '../../screen/DayLink';
import { Link } from '../../screen/Link';
import { isWithin } from '../../screen/place';
import { Banner } from '../../ui/Banner';
import { Panel } from '../../ui/Panel';
import classes from './Incident.module.css';
import { type AnswerKind, type Incident, incidentLogQuery } from './incident';

export function WhoAnswered({ incident }: { incident: Incident }) {
  const { t } = useTranslation();
  const when = useWhen();
  const { answers } = incident;
  const said = (kind: AnswerKind, until: number | null) =>
    t(`incident.answer.${kind}`, { time: until === null ? '' : when(until) });
  return (
    <Panel title={t('incident.people')}>
      {answers.length === 0 && <p className={classes['quiet']}>{t('incident.nobody')}</p>}
      <ol className={classes['rows']}>
        {answers.toReversed().map(({ id, kind, by, at, until, note, way }) => (
          <li key={id}>
            <span className={classes['grow']}>
              <span>
                <b>{by.name}</b>: {said(kind, until)}
              </span>
              {note !== null && <q>{note}</q>}
              {way !== null && <small>{t('incident.byMessage')}</small>}
            </span>
            <time dateTime={new Date(at).toISOString()}>{when(at)}</time>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

export function Happened({ farmId, incident }: { farmId: string; incident: Incident }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const when = useWhen();
  const log = useQuery(incidentLogQuery(farmId, incident.id, language));
  return (
    <Panel title={t('incident.happened')}>
      {log.isError && <Banner {...failedLoad(t, log, t('incident.logFailed'))} />}
      {log.isPending && <Skeleton height={96} radius="md" aria-hidden />}
      {log.data?.length === 0 && <p className={classes['quiet']}>{t('incident.nothingHappened')}</p>}
      <ol className={classes['rows']}>
        {log.data?.map(({ id, timestamp, ruleId, action, userName, result, errorMessage }) => (
          <li key={id}>
            <Link
              to={
                ruleId === null ? dayPath(incident.place, timestamp) : lanesPath({ rule: ruleId }, timestamp)
              }
              data-result={result}
            >
              <span className={classes['grow']}>
                <span>{action}</span>
                {userName !== null && <small>{userName}</small>}
                {errorMessage !== null && <small className={classes['bad']}>{errorMessage}</small>}
              </span>
              <time dateTime={new Date(timestamp).toISOString()}>{when(timestamp)}</time>
            </Link>
          </li>
        ))}
      </ol>
      <AtItsDevices farmId={farmId} incident={incident} />
    </Panel>
  );
}

/** More links than these are no help. */
const MOST_DEVICES = 4;

/** The ways to the days of the devices of its place, what runs first, at the instant when it was raised: why each did what it did. */
function AtItsDevices({ farmId, incident: { place, raisedAt } }: { farmId: string; incident: Incident }) {
  const { t } = useTranslation();
  const devices = useQuery(devicesQuery(farmId)).data ?? [];
  const houses = useQuery(polyhousesQuery(farmId)).data ?? [];
  const own = devices.filter(
    ({ scope, gone }) => !gone && (isWithin(scope, place, houses) || isWithin(place, scope, houses)),
  );
  if (own.length === 0) return null;
  const shown = own.toSorted((a, b) => Number(b.state.on ?? false) - Number(a.state.on ?? false));
  return (
    <nav aria-label={t('incident.devices')} className={classes['devices']}>
      <DecidedLink place={place} at={raisedAt} />
      {shown.slice(0, MOST_DEVICES).map(({ id, name }) => (
        <LanesLink key={id} of={{ device: id }} at={raisedAt} name={name} />
      ))}
    </nav>
  );
}
