// A house's day: what is chosen, what is loaded for it, and its parts.
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { cropCyclesQuery } from '../../api/crops';
import { useMay } from '../../api/permissions';
import { latestTelemetryQuery, rulePlacesQuery, rulesQuery, setpointsQuery } from '../../api/queries';
import type { components } from '../../api/schema';
import { type PlaceNames, sensorTypes, useDomain } from '../../i18n/domain';
import { failedLoad, failedOf } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { DecidedLink } from '../../screen/DayLink';
import { sensorsIn } from '../../screen/place';
import { useSensorNames } from '../../screen/sensors';
import { Banner } from '../../ui/Banner';
import { InPieces } from '../../ui/InPieces';
import { later } from '../../ui/later';
import { Controls } from './Controls';
import { Curves } from './Curves';
import classes from './Day.module.css';
import { type Ghost, GhostChoice, ghosts } from './GhostChoice';
import { useGestures } from './gestures';
import { Legend } from './Legend';
import { nightsOf } from './nights';
import { type Curve, MOST_CURVES } from './paint';
import { alertsQuery, type Note, notesQuery, sensorQuery, sunQuery } from './queries';
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

/** After the curves: nobody writes before they are read. */
const NoteForm = later(async () => (await import('./NoteForm')).NoteForm);
const Notes = later(async () => (await import('./Notes')).Notes);

type Schemas = components['schemas'];
const NONE: never[] = [];
const earlier: Record<Ghost, number> = { none: 0, day: DAY, week: 7 * DAY, year: 365 * DAY };

interface Props {
  farmId: string;
  house: Schemas['Polyhouse'];
  houses: PlaceNames;
}

export function HouseDay({ farmId, house, houses }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const cache = useQueryClient();
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
  const writes = useMay()('crops:write');
  // What is written: of a known note, or of a minute.
  const [written, setWritten] = useState<Note | number>();
  const [isWriting, setWriting] = useState(false);
  const write = useCallback((of: Note | number) => {
    setWritten(of);
    setWriting(true);
  }, []);
  const ghost = ghosts.find((each) => each === search.get('ghost')) ?? 'none';

  const curves = chosen.map(({ id }) => sensorQuery(farmId, id, load));
  // They are what the page is for: asked for before it is drawn, not when it stands there.
  for (const curve of curves) if (!cache.getQueryState(curve.queryKey)) void cache.prefetchQuery(curve);
  const pasts = useQueries({ queries: curves });
  const befores = useQueries({
    queries: (ghost === 'none' ? NONE : chosen).map(({ id }) =>
      sensorQuery(farmId, id, load, earlier[ghost]),
    ),
  });
  const isLoaded = pasts.every(({ isSuccess, isPlaceholderData }) => isSuccess && !isPlaceholderData);
  const loaded = pasts.some(({ isError }) => isError) ? 'failed' : isLoaded ? 'done' : 'pending';
  // With what they are compared is asked for once something stands there, and what happened meanwhile after them.
  const isDrawn = useDeferredValue(true, false);
  const [hadCurves, setHadCurves] = useState(loaded !== 'pending');
  if (!hadCurves && loaded !== 'pending') setHadCurves(true);
  const cycles = useQuery({ ...cropCyclesQuery(farmId), enabled: isDrawn }).data ?? NONE;
  const rules = useQuery({ ...rulesQuery(farmId), enabled: isDrawn }).data ?? NONE;
  const seen = useQuery({ ...rulePlacesQuery(farmId), enabled: isDrawn }).data ?? NONE;
  const alerts = useQuery({ ...alertsQuery(farmId), enabled: isDrawn }).data ?? NONE;
  const setpoints = useQuery({ ...setpointsQuery(farmId), enabled: isDrawn }).data ?? NONE;
  const sun = useQuery(sunQuery(farmId, load, isDrawn)).data;
  const noted = useQuery(notesQuery(farmId, load, isDrawn));
  const notes = useMemo(() => {
    const { from, to } = rested.window;
    const here = ({ zoneId }: Schemas['Note']) =>
      zoneId === null || house.zones.some(({ id }) => id === zoneId);
    const shown = (noted.data ?? NONE).filter((note) => note.at >= from && note.at < to && here(note));
    return shown.sort((a, b) => a.at - b.at);
  }, [noted.data, rested.window, house.zones]);
  const nights = useMemo(() => nightsOf(sun?.days ?? NONE, load), [sun, load]);
  const strips = useStrips(farmId, place, houses, rested.window, load, hadCurves);

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
  const courses = coursesOf(setpoints, types, place, houses);
  const failed = failedOf([telemetry, ...pasts, ...befores, noted, ...strips.queries]);
  const change = useCallback(
    (name: string, value: string) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );
  const changeGhost = useCallback((value: Ghost) => change('ghost', value), [change]);
  const changeSensors = useCallback((ids: string[]) => change('sensors', ids.join(',')), [change]);
  const chosenIds = useMemo(() => chosen.map(({ id }) => id), [chosen]);

  return (
    <>
      <Controls viewer={viewer} rested={rested} />
      {failed && <Banner {...failedLoad(t, failed, t('day.failed'))} />}
      {pasts.some(({ data }) => data?.incomplete) && (
        <p className={classes['note']}>{t('history.incomplete')}</p>
      )}
      <InPieces>
        <section className={classes['panel']} aria-label={house.name}>
          <div ref={area} className={classes['area']}>
            <Reading viewer={viewer} shown={shown} {...(writes && { onNote: write })} />
            <Curves
              viewer={viewer}
              shown={shown}
              targets={targets}
              limits={limits}
              courses={courses}
              nights={nights}
              notes={notes}
            />
            {load.strips && (
              <StripRows farmId={farmId} viewer={viewer} strips={strips.strips} at={Math.round(rested.at)} />
            )}
          </div>
          <DecidedLink place={place} at={Math.round(rested.at)} />
          {sun && <Sun farmId={farmId} sun={sun} at={rested.at} />}
          {!load.strips && <p className={classes['note']}>{t('day.noStrips')}</p>}
          {load.strips && strips.since !== undefined && strips.since > rested.window.from && (
            <p className={classes['note']}>
              {t('day.since', { time: format.dayTime(new Date(strips.since)) })}
            </p>
          )}
          <Legend
            types={types}
            targets={targets}
            limits={limits}
            courses={courses}
            nights={nights}
            notes={notes}
          />
          <p className={classes['hint']}>{t('day.hint')}</p>
        </section>
      </InPieces>
      {isDrawn && (
        <div className={classes['below']}>
          {notes.length > 0 && (
            <Notes
              farmId={farmId}
              house={house}
              viewer={viewer}
              notes={notes}
              {...(writes && { onEdit: write })}
            />
          )}
          {written !== undefined && (
            <NoteForm
              farmId={farmId}
              house={house}
              opened={isWriting}
              of={written}
              onClose={() => setWriting(false)}
            />
          )}
          <GhostChoice ghost={ghost} onChange={changeGhost} />
          <SensorChoice sensors={sensors} houses={houses} chosen={chosenIds} onChange={changeSensors} />
          {/* Not in pieces: what is shared is what was chosen a moment ago. */}
          <Sharing
            viewer={viewer}
            house={house.name}
            shown={shown}
            strips={load.strips ? strips.strips : NONE}
            targets={targets}
            limits={limits}
            courses={courses}
            nights={nights}
            notes={notes}
            rested={rested}
            load={loaded}
          />
        </div>
      )}
    </>
  );
}
