// What is known of a house now, put together from what the server told of it: on its card of the first page, and of its own.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CropCycle } from '../api/crops';
import { cropAndVariety, cropCyclesQuery } from '../api/crops';
import { devicesQuery, latestTelemetryQuery, polyhousesQuery } from '../api/queries';
import type { LatestTelemetry, SensorReading } from '../api/readings';
import type { components } from '../api/schema';
import type { PlaceNames, SensorTypeName } from '../i18n/domain';
import { useVerdictWords } from '../i18n/verdict';
import type { Device } from './device';
import type { HouseVerdict } from './HouseVerdict';

/** The mean of each quantity of a house, and what its crops want. */
export type Means = LatestTelemetry['houses'][string];

export interface HouseFacts {
  /** What grows there, each crop once; undefined while that is not known. */
  crops: string[] | undefined;
  /** The types of the sensors that are there, whether they report or not. */
  measured: ReadonlySet<string>;
  /** Without those that only measure. */
  devices: Device[];
}

export interface Told {
  sensors: readonly Pick<SensorReading, 'type' | 'scope'>[];
  devices: readonly Device[];
  polyhouses: PlaceNames | undefined;
  cycles: readonly CropCycle[] | undefined;
}

const NONE: LatestTelemetry['houses'] = {};

/** What the cards show of the readings: without the sensors' own values, each of which would draw every card anew. */
const houseReadings = ({ houses, sensors }: LatestTelemetry) => ({
  houses,
  sensors: sensors.map(({ type, scope }) => ({ type, scope })),
});

/** What grows in some zones. */
export function growing(cycles: readonly CropCycle[], zones: ReadonlySet<string>): CropCycle[] {
  return cycles.filter(({ zoneId, state }) => state === 'GROWING' && zones.has(zoneId));
}

/** Picks what is told of one house. */
export function factsOf(id: string, told: Told): HouseFacts {
  const zones = new Set(told.polyhouses?.find((house) => house.id === id)?.zones.map((zone) => zone.id));
  const cycles = told.cycles && growing(told.cycles, zones);
  return {
    crops: told.polyhouses && cycles && [...new Set(cycles.map(cropAndVariety))],
    measured: new Set(told.sensors.filter(({ scope }) => scope.polyhouseId === id).map(({ type }) => type)),
    devices: told.devices.filter(
      ({ scope, type, gone }) => scope.polyhouseId === id && type !== 'sensor' && !gone,
    ),
  };
}

/** On which side of what is wanted a value is; undefined where it is inside, or nothing is wanted. */
export function sideOf(
  value: number,
  wanted: components['schemas']['Range'] | null,
): 'above' | 'below' | undefined {
  if (!wanted) return undefined;
  if (value > wanted.high) return 'above';
  return value < wanted.low ? 'below' : undefined;
}

/** Since when nothing is heard of a quantity of a house, as far as that is known. */
export function silentSince(
  verdict: HouseVerdict | undefined,
  type: SensorTypeName | 'vpd',
): number | undefined {
  if (!verdict || verdict === 'lost') return undefined;
  const silent = verdict.reasons.find(({ what }) => what.kind === 'no_signal' && what.sensor_type === type);
  return silent?.since ?? undefined;
}

/** What the cards of a farm's houses show, with the queries that it is from. */
export function useHouses(farmId: string) {
  const telemetry = useQuery({ ...latestTelemetryQuery(farmId), select: houseReadings });
  const devices = useQuery(devicesQuery(farmId));
  const polyhouses = useQuery(polyhousesQuery(farmId)).data;
  const cycles = useQuery(cropCyclesQuery(farmId)).data;
  const { asOf } = useVerdictWords();
  // The same for the cards until something of it changes.
  const told = useMemo<Told>(
    () => ({ sensors: telemetry.data?.sensors ?? [], devices: devices.data ?? [], polyhouses, cycles }),
    [telemetry.data?.sensors, devices.data, polyhouses, cycles],
  );
  const old = [telemetry, devices].find(({ isError, data }) => isError && data);
  return { telemetry, devices, told, means: telemetry.data?.houses ?? NONE, asOf: old && asOf(old) };
}
