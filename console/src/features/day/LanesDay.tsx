// The day of a device, a rule or a house as lanes, on the same axis and with the same gestures as the day of a house; below them the
// explanation of the instant that is read. In the address: `device`, `rule` or `house`, and `at`, `from` and `to` as of a house.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Back from '~icon/ArrowLeft';
import { ApiError } from '../../api/errors';
import { devicesQuery, polyhousesQuery, rulesQuery } from '../../api/queries';
import type { Place } from '../../i18n/domain';
import { failedLoad } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { dayPath } from '../../screen/DayLink';
import { Link } from '../../screen/Link';
import { Banner } from '../../ui/Banner';
import { Notice } from '../../ui/Notice';
import { Controls } from './Controls';
import { Drawing, ReadingLine, Scrubber } from './Curves';
import day from './Day.module.css';
import { useGestures } from './gestures';
import { HouseRows } from './HouseRows';
import { LaneCard } from './LaneCard';
import { LaneRows, useSaying } from './LaneRows';
import classes from './Lanes.module.css';
import { LaneTables } from './LaneTables';
import { grouped, type Lanes, lanesQuery, type Subject, spanFor } from './lanes';
import { nightsOf } from './nights';
import { sunQuery } from './queries';
import { useAt } from './Reading';
import { useDayOf, useView } from './useView';
import type { Viewer } from './view';
import { loadFor, type Window } from './window';

const NONE: never[] = [];

export function LanesDay({ farmId, subject }: { farmId: string; subject: Subject }) {
  const { t } = useTranslation();
  const format = useFormat();
  const area = useRef<HTMLDivElement>(null);
  const { viewer, rested } = useView();
  useGestures(area, viewer);
  const span = useSpan(rested.window);
  const lanes = useQuery(lanesQuery(farmId, subject, span));
  const load = useMemo(() => loadFor(rested.window), [rested.window]);
  const sun = useQuery(sunQuery(farmId, load)).data;
  const nights = useMemo(() => nightsOf(sun?.days ?? NONE, load), [sun, load]);
  const { name, place } = useSubject(farmId, subject);
  if (lanes.error instanceof ApiError && lanes.error.status === 404)
    return (
      <Notice title={t('day.lanes.title')} text={t('day.lanes.gone')}>
        <Link to="/day">{t('nav.day')}</Link>
      </Notice>
    );
  const { data } = lanes;
  const isLong = span === undefined;
  return (
    <>
      <div className={day['head']}>
        <div>
          {place && (
            <Link className={day['inline'] ?? ''} to={dayPath(place, rested.at)}>
              <Back size={20} aria-hidden />
              {t('nav.day')}
            </Link>
          )}
          <h1>{t('day.lanes.of', { name: name ?? subject.device ?? subject.rule ?? subject.house })}</h1>
        </div>
      </div>
      <Controls viewer={viewer} rested={rested} />
      {lanes.isError && <Banner {...failedLoad(t, lanes, t('day.failed'))} />}
      {data?.incomplete && <p className={day['note']}>{t('history.incomplete')}</p>}
      <section
        className={day['panel']}
        aria-label={name ?? t('day.lanes.title')}
        aria-busy={lanes.isFetching}
      >
        <AtTime viewer={viewer} />
        {isLong && <p className={day['note']}>{t('day.lanes.long')}</p>}
        <div ref={area} className={`${day['area']} ${classes['area']}`}>
          <ReadingLine viewer={viewer} />
          <Reader farmId={farmId} viewer={viewer} lanes={data} />
          <Drawing viewer={viewer} nights={nights} className={classes['axis']} />
          {lanes.isPending && !isLong && <Skeleton height={220} radius="md" aria-hidden />}
          {data && subject.house !== undefined && (
            <HouseRows farmId={farmId} viewer={viewer} lanes={data} nights={nights} window={rested.window} />
          )}
          {data && subject.house === undefined && (
            <LaneRows
              farmId={farmId}
              viewer={viewer}
              lanes={data}
              groups={grouped(data, subject)}
              nights={nights}
            />
          )}
        </div>
        {data && span && data.exact_from > span.from && (
          <p className={day['note']}>
            {t('day.lanes.before', { time: format.dayTime(new Date(data.exact_from)) })}
          </p>
        )}
        {data && data.left_out > 0 && (
          <p className={day['note']}>
            {t(subject.house === undefined ? 'day.lanes.leftOut' : 'day.lanes.leftOutHouse', {
              number: format.count(data.left_out),
            })}
          </p>
        )}
        <p className={day['hint']}>{t('day.lanes.hint')}</p>
      </section>
      <LaneCard farmId={farmId} subject={subject} lanes={data} at={rested.at} />
      {data && <LaneTables farmId={farmId} lanes={data} groups={grouped(data, subject)} />}
    </>
  );
}

/** What is loaded: it stays while it covers what is shown. */
function useSpan(window: Window): Window | undefined {
  const dayOf = useDayOf();
  const [span, setSpan] = useState(() => spanFor(window, dayOf(window.from), undefined));
  const isLong = window.to - window.from > 86_400_000;
  const next = spanFor(window, dayOf((window.from + window.to) / 2), span);
  if (next?.from !== span?.from || next?.to !== span?.to) setSpan(next);
  return isLong ? undefined : next;
}

/** What it is called, and where it is. */
function useSubject(farmId: string, { device, rule, house }: Subject) {
  const devices = useQuery({ ...devicesQuery(farmId), enabled: device !== undefined }).data;
  const rules = useQuery({ ...rulesQuery(farmId), enabled: rule !== undefined }).data;
  const houses = useQuery({ ...polyhousesQuery(farmId), enabled: house !== undefined }).data;
  if (house !== undefined) {
    const place: Place = { type: 'polyhouse', polyhouseId: house };
    return { name: houses?.find(({ id }) => id === house)?.name, place };
  }
  const found =
    device === undefined ? rules?.find(({ id }) => id === rule) : devices?.find(({ id }) => id === device);
  return { name: found?.name, place: found?.scope };
}

function AtTime({ viewer }: { viewer: Viewer }) {
  const format = useFormat();
  const at = useAt(viewer);
  return (
    <div className={day['reading']}>
      <p>
        <time dateTime={new Date(at).toISOString()}>{format.exactTime(new Date(at))}</time>
      </p>
    </div>
  );
}

/** Who cannot see the line moves it by keys, and hears what every lane says. */
function Reader({ farmId, viewer, lanes }: { farmId: string; viewer: Viewer; lanes: Lanes | undefined }) {
  const { t } = useTranslation();
  const saying = useSaying(farmId);
  const said = (at: number) =>
    (lanes?.lanes ?? []).map((lane) => {
      const { name, word } = saying(lane, lanes as Lanes, at, viewer.get().window);
      return `${name}: ${word}`;
    });
  return <Scrubber viewer={viewer} label={t('day.reading')} className={classes['scrubber']} said={said} />;
}
