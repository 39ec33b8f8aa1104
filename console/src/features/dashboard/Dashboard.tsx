// The farm at a glance (spec 2.11).
import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import LiveIcon from '~icon/Broadcast';
import WallIcon from '~icon/DeviceTv';
import LetterIcon from '~icon/MailOpened';
import OffIcon from '~icon/PlugConnectedX';
import type { FarmPageProps } from '../../api/farms';
import { useLiveStatus } from '../../api/live-status';
import { useMay } from '../../api/permissions';
import { latestTelemetryQuery, summaryQuery } from '../../api/queries';
import type { LatestTelemetry } from '../../api/readings';
import { failedPart } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { Link } from '../../screen/Link';
import { quickActions } from '../../screen/quick';
import { AsOf } from '../../ui/AsOf';
import { Banner } from '../../ui/Banner';
import { InPieces } from '../../ui/InPieces';
import { later } from '../../ui/later';
import { StatePill } from '../../ui/StatePill';
import classes from './Dashboard.module.css';
import { Houses } from './Houses';
import { weatherQuery } from './queries';
import { ReadingCard } from './ReadingCard';
import { evidenceOf, type ReadingKind } from './reading';
import { TileGroup } from './TileGroup';
import { ToDo } from './ToDo';
import { tileGroups } from './tiles';
import { useMinute } from './time';
import { VerdictPanel } from './VerdictPanel';
import { WeatherCard } from './WeatherCard';

const readings: readonly ReadingKind[] = ['ph', 'ec'];

/** After the page's first values: a farm at work has none. */
const FirstHourLine = later(async () => (await import('./FirstHourLine')).FirstHourLine);

export default function Dashboard({ farmId }: FarmPageProps) {
  const { t } = useTranslation();
  const summary = useQuery(summaryQuery(farmId));
  const weather = useQuery(weatherQuery(farmId));
  const telemetry = useQuery(latestTelemetryQuery(farmId));
  const { asOf } = useVerdictWords();
  const loading = summary.isPending || weather.isPending || telemetry.isPending;
  const [attention, ...others] = tileGroups;
  const failures = [
    { query: summary, text: t('dashboard.summaryFailed') },
    { query: weather, text: t('dashboard.weatherFailed') },
    { query: telemetry, text: t('dashboard.readingsFailed') },
  ].filter(({ query }) => query.isError);

  return (
    <div className={classes['dashboard']} aria-busy={loading}>
      <VerdictPanel farmId={farmId} top={<Heading />} />
      <FirstHourLine farmId={farmId} />
      <Houses farmId={farmId} />
      <ToDo farmId={farmId} />
      {loading && (
        <p className={classes['loading']} role="status">
          {t('app.loading')}
        </p>
      )}
      {failures.map(({ query, text }) => (
        <Banner key={text} {...failedPart(t, query, text)} />
      ))}
      {/* Two screens further down, most of them. */}
      <InPieces>
        <div className={classes['overview']}>
          {attention && (
            <div className={classes['attention']}>
              <TileGroup group={attention} summary={summary.data} loading={loading} />
            </div>
          )}
          <section className={classes['readings']} aria-label={t('dashboard.readings')}>
            {loading ? (
              <>
                <CardShape />
                <CardShape />
                <CardShape />
              </>
            ) : (
              <>
                <AsOf value={asOf(telemetry)}>
                  <Readings farmId={farmId} />
                </AsOf>
                <WeatherCard weather={weather.data} />
              </>
            )}
          </section>
          <div className={classes['quick']}>
            <QuickActions />
          </div>
        </div>
        <div className={classes['rest']}>
          {others.map((group) => (
            <TileGroup key={group.id} group={group} summary={summary.data} loading={loading} />
          ))}
        </div>
      </InPieces>
    </div>
  );
}

const cardOf = (kind: ReadingKind, telemetry?: LatestTelemetry) => ({
  kind,
  reading: telemetry?.latest[kind],
  evidence: evidenceOf(kind, telemetry),
});
const cardsOf = (telemetry: LatestTelemetry) => readings.map((kind) => cardOf(kind, telemetry));

/** By itself, so that a reading draws nothing else of the page anew. */
function Readings({ farmId }: { farmId: string }) {
  const { data } = useQuery({ ...latestTelemetryQuery(farmId), select: cardsOf });
  const cards = data ?? readings.map((kind) => cardOf(kind));
  return cards.map((card) => <ReadingCard key={card.kind} {...card} />);
}

function Heading() {
  const { t } = useTranslation();
  const format = useFormat();
  const today = useMinute();
  const live = useLiveStatus();
  return (
    <>
      <VisuallyHidden component="h1">{t('dashboard.title')}</VisuallyHidden>
      <span role="status" data-live={live}>
        {live === 'on' ? (
          <StatePill tone="active" word={t('dashboard.live')} icon={LiveIcon} />
        ) : (
          <StatePill tone="quiet" word={t('dashboard.notLive')} icon={OffIcon} />
        )}
      </span>
      <time dateTime={today.toISOString()}>{format.longDate(today)}</time>
      <Link className={classes['letter'] ?? ''} to="/letter">
        <LetterIcon size={22} aria-hidden />
        {t('nav.letter')}
      </Link>
      <Link className={classes['wall'] ?? ''} to="/wall" aria-label={t('nav.wall')} title={t('nav.wall')}>
        <WallIcon size={24} aria-hidden />
      </Link>
    </>
  );
}

function QuickActions() {
  const may = useMay();
  const { t } = useTranslation();
  const actions = quickActions.filter(({ permission }) => may(permission));
  return (
    <section aria-labelledby="quick-title">
      <h2 id="quick-title" className={classes['title']}>
        {t('dashboard.quickActions')}
      </h2>
      {actions.length === 0 ? (
        <p className={classes['viewer']}>{t('quick.viewer')}</p>
      ) : (
        <div className={classes['actions']}>
          {actions.map((action) => (
            <Link key={action.label} to={action.to}>
              <action.icon size={22} aria-hidden />
              {t(action.label)}
            </Link>
          ))}
        </div>
      )}
    </section>
  );
}

function CardShape() {
  return (
    <div className={classes['shape']} aria-hidden>
      <Skeleton height={26} width="35%" />
      <Skeleton height={64} width="55%" />
      <Skeleton height={16} radius="xl" />
      <Skeleton height={44} />
    </div>
  );
}
