// The day of a house on one axis of time: curves of any of its sensors, and below them what every device, rule, person and
// alert did. What is shown stands in the address: `polyhouse` (or a `zone` of it), `at` (the minute that is read), `from` and `to`, `sensors`, and
// `ghost` (`day` or `week`), or in their place a `device`, a `rule` or a `house`, whose lanes are shown; without `from` it is the farm's day around `at`, or today.
import { NativeSelect, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { latestTelemetryQuery, polyhousesQuery } from '../../api/queries';
import { failedLoad } from '../../i18n/failure';
import { ToFirstHour } from '../../screen/ToFirstHour';
import { Banner } from '../../ui/Banner';
import { Empty } from '../../ui/Empty';
import classes from './Day.module.css';
import { HouseDay } from './HouseDay';
import { LanesDay } from './LanesDay';
import { subjectOf } from './lanes';

export default function Day({ farmId }: { farmId: string }) {
  const [search] = useSearchParams();
  const subject = subjectOf(search);
  if (!subject) return <DayOfHouse farmId={farmId} />;
  return (
    <div className={classes['page']}>
      <LanesDay key={subject.device ?? subject.rule ?? subject.house} farmId={farmId} subject={subject} />
    </div>
  );
}

function DayOfHouse({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const polyhouses = useQuery(polyhousesQuery(farmId));
  // Without them nothing can be said of what is read, and what stands below would move when they come.
  const sensors = useQuery(latestTelemetryQuery(farmId));
  const houses = polyhouses.data;
  const house =
    houses?.find(
      ({ id, zones }) =>
        id === search.get('polyhouse') || zones.some((zone) => zone.id === search.get('zone')),
    ) ?? houses?.[0];
  const toHouse = (id: string) => {
    const next = new URLSearchParams(search);
    next.set('polyhouse', id);
    next.delete('zone');
    // Another house has other sensors; the time stays.
    next.delete('sensors');
    setSearch(next);
  };
  return (
    <div className={classes['page']}>
      <div className={classes['head']}>
        <h1>{t('nav.day')}</h1>
        {/* Its place is kept until the houses are known. */}
        {houses?.length !== 0 && (
          <NativeSelect
            aria-label={t('day.house')}
            disabled={!houses}
            value={house?.id ?? ''}
            onChange={(event) => toHouse(event.currentTarget.value)}
            data={houses?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          />
        )}
      </div>
      {polyhouses.isError && <Banner {...failedLoad(t, polyhouses, t('day.failed'))} />}
      {(polyhouses.isPending || sensors.isPending) && (
        <>
          <p role="status">{t('app.loading')}</p>
          <Skeleton height={320} radius="lg" aria-hidden />
        </>
      )}
      {houses?.length === 0 && <Empty action={<ToFirstHour />}>{t('day.noHouse')}</Empty>}
      {house && houses && !sensors.isPending && (
        <HouseDay key={house.id} farmId={farmId} house={house} houses={houses} />
      )}
    </div>
  );
}
