// A house's day: what is chosen, what is loaded for it, and its parts.
import { useQueries, useQuery } from '@tanstack/react-query';
import { type CSSProperties, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { cropCyclesQuery } from '../../api/crops';
import {
  devicesQuery,
  latestTelemetryQuery,
  rulePlacesQuery,
  rulesQuery,
  setpointsQuery,
} from '../../api/queries';
import type { components } from '../../api/schema';
import { type PlaceNames, sensorTypes, useDomain } from '../../i18n/domain';
import { failedLoad, failedOf } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { DecidedLink } from '../../screen/DayLink';
import { sensorsIn } from '../../screen/place';
import { quantityColour } from '../../screen/quantity';
import { useSensorNames } from '../../screen/sensors';
import { Banner } from '../../ui/Banner';
import { InPieces } from '../../ui/InPieces';
import { Controls } from './Controls';
import { Curves } from './Curves';
import classes from './Day.module.css';
import { type Ghost, GhostChoice, ghosts } from './GhostChoice';
import { useGestures } from './gestures';
import { nightsOf } from './nights';
import { type Curve, MOST_CURVES } from './paint';
import { alertsQuery, sensorQuery, sunQuery } from './queries';
import { Reading, type Shown } from './Reading';
import { SensorChoice } from './SensorChoice';
import { Sharing } from './Sharing';
import { StripRows } from './StripRows';
import { Sun } from './Sun';
import { shifted } from './series';
import { coursesOf, limitsAt, targetsOf } from './targets';
import { useStrips } from './useStrips';
import { useView } from './useView';
import { DAY, loadFor } from './window';

type Schemas = components['schemas'];
const NONE: never[] = [];
const earlier: Record<Ghost, number> = { none: 0, day: DAY, week: 7 * DAY };

interface Props {
  farmId: string;
  house: Schemas['Polyhouse'];
  houses: PlaceNames;
}

export function HouseDay({ farmId, house, houses }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const [search, setSearch] = useSearchParams();
  const area = useRef<HTMLDivElement>(null);
  const { viewer, rested } = useView();
  useGestures(area, viewer);
  const load = useMemo(() => loadFor(rested.window), [rested.window]);
  const place = useMemo(() => ({ type: 'polyhouse' as const, polyhouseId: house.id }), [house.id]);

  const telemetry = useQuery({
    ...latestTelemetryQuery(farmId),
    // Values come with them, many times a minute: the curves must not be drawn for each.
    select: ({ sensors }) => sensors.map((sensor) => ({ ...sensor, latestValue: null, at: null })),
  });
  const sensors = useMemo(
    () =>
      sensorsIn(telemetry.data ?? NONE, place, houses).sort(
        (a, b) => sensorTypes.indexOf(a.type) - sensorTypes.indexOf(b.type),
      ),
    [telemetry.data, place, houses],
  );
  const called = useSensorNames(telemetry.data ?? NONE);
  const asked = search.get('sensors');
  const chosen = useMemo(() => {
    if (asked !== null) {
      const ids = asked.split(',');
      return sensors.filter(({ id }) => ids.includes(id)).slice(0, MOST_CURVES);
    }
    // The air first: it is what a day is about.
    const first = (['temperature', 'humidity'] as const).flatMap(
      (type) => sensors.find((sensor) => sensor.type === type) ?? [],
    );
    return first.length > 0 ? first : sensors.slice(0, 2);
  }, [sensors, asked]);
  const ghost = ghosts.find((each) => each === search.get('ghost')) ?? 'none';

  const pasts = useQueries({ queries: chosen.map(({ id }) => sensorQuery(farmId, id, load)) });
  const befores = useQueries({
    queries: (ghost === 'none' ? NONE : chosen).map(({ id }) =>
      sensorQuery(farmId, id, load, earlier[ghost]),
    ),
  });
  const cycles = useQuery(cropCyclesQuery(farmId)).data ?? NONE;
  const rules = useQuery(rulesQuery(farmId)).data ?? NONE;
  const seen = useQuery(rulePlacesQuery(farmId)).data ?? NONE;
  const alerts = useQuery(alertsQuery(farmId)).data ?? NONE;
  const devices = useQuery(devicesQuery(farmId));
  const sun = useQuery(sunQuery(farmId, load)).data;
  const nights = useMemo(() => nightsOf(sun?.days ?? NONE, load), [sun, load]);
  const strips = useStrips(farmId, place, houses, devices.data ?? NONE, load);

  const shown: Shown[] = chosen.map((sensor, index) => {
    const seriesOf = (past: Schemas['SensorHistory'] | undefined) => ({
      id: sensor.id,
      points: past?.points ?? NONE,
      stepMs: (past?.stepSec ?? load.step / 1_000) * 1_000,
    });
    const before = befores[index]?.data;
    const zone = sensor.scope.type === 'zone' ? words.placeNames(sensor.scope, houses).at(-1) : undefined;
    const quantity = words.quantity(sensor.type);
    const name = called(sensor);
    const isNamed = sensor.name && sensor.name !== quantity;
    const curve: Curve = {
      series: seriesOf(pasts[index]?.data),
      ghost: before && shifted(seriesOf(before), earlier[ghost]),
      scale: sensor.type,
    };
    return { curve, type: sensor.type, text: [isNamed && quantity, name, zone].filter(Boolean).join(' · ') };
  });
  const types = [...new Set(chosen.map(({ type }) => type))];
  const targets = targetsOf(cycles, place, houses).filter(({ scale }) =>
    types.some((type) => type === scale),
  );
  const limits = limitsAt(types, rules, seen, alerts, place, houses);
  const courses = coursesOf(useQuery(setpointsQuery(farmId)).data ?? NONE, types, place, houses);
  const failed = failedOf([telemetry, devices, ...pasts, ...befores, ...strips.queries]);
  const isLoaded = pasts.every(({ isSuccess, isPlaceholderData }) => isSuccess && !isPlaceholderData);
  const loaded = pasts.some(({ isError }) => isError) ? 'failed' : isLoaded ? 'done' : 'pending';
  const change = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        next.set(name, value);
        return next;
      },
      { replace: true },
    );

  return (
    <>
      <Controls viewer={viewer} rested={rested} />
      {failed && <Banner {...failedLoad(t, failed, t('day.failed'))} />}
      {pasts.some(({ data }) => data?.incomplete) && (
        <p className={classes['note']}>{t('history.incomplete')}</p>
      )}
      <InPieces>
        <section className={classes['panel']} aria-label={house.name}>
          <Reading viewer={viewer} shown={shown} />
          <div ref={area} className={classes['area']}>
            <Curves
              viewer={viewer}
              shown={shown}
              targets={targets}
              limits={limits}
              courses={courses}
              nights={nights}
            />
            {load.strips && <StripRows farmId={farmId} viewer={viewer} strips={strips.strips} />}
          </div>
          <DecidedLink place={place} at={Math.round(rested.at)} />
          {sun && <Sun farmId={farmId} sun={sun} at={rested.at} />}
          {!load.strips && <p className={classes['note']}>{t('day.noStrips')}</p>}
          {load.strips && strips.since !== undefined && strips.since > rested.window.from && (
            <p className={classes['note']}>
              {t('day.since', { time: format.dayTime(new Date(strips.since)) })}
            </p>
          )}
          <ul className={classes['legend']}>
            {targets.map(({ crop, scale, low, high }) => {
              const type = types.find((each) => each === scale);
              return (
                type && (
                  <li
                    key={`${crop} ${scale} ${low} ${high}`}
                    data-kind="target"
                    style={{ '--target': quantityColour(type) } as CSSProperties}
                  >
                    {t('day.target', {
                      crop,
                      quantity: words.quantity(type),
                      low: words.amount(type, low),
                      high: words.amount(type, high),
                    })}
                  </li>
                )
              );
            })}
            {courses.map(({ name, scale }) => {
              const type = types.find((each) => each === scale);
              return (
                type && (
                  <li
                    key={`${name} ${scale}`}
                    data-kind="course"
                    style={{ '--target': quantityColour(type) } as CSSProperties}
                  >
                    {t('day.setpoint', { name })}
                  </li>
                )
              );
            })}
            {nights.length > 0 && <li data-kind="night">{t('day.night')}</li>}
            {limits.some(({ kind }) => kind === 'rule') && <li data-kind="rule">{t('day.ruleLimit')}</li>}
            {limits.some(({ kind }) => kind === 'alert') && <li data-kind="alert">{t('day.alertLimit')}</li>}
          </ul>
          <p className={classes['hint']}>{t('day.hint')}</p>
        </section>
      </InPieces>
      <div className={classes['below']}>
        <GhostChoice ghost={ghost} onChange={(value) => change('ghost', value)} />
        <SensorChoice
          sensors={sensors}
          houses={houses}
          chosen={chosen.map(({ id }) => id)}
          onChange={(ids) => change('sensors', ids.join(','))}
        />
        <Sharing
          viewer={viewer}
          house={house.name}
          shown={shown}
          strips={load.strips ? strips.strips : NONE}
          targets={targets}
          limits={limits}
          courses={courses}
          nights={nights}
          rested={rested}
          load={loaded}
        />
      </div>
    </>
  );
}
