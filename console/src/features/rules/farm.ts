// What rules are about: the farm's devices, places and readings, as far as they are known.
import { useQuery } from '@tanstack/react-query';
import { devicesQuery, latestTelemetryQuery, polyhousesQuery } from '../../api/queries';
import type { SensorReading } from '../../api/readings';
import { failedOf } from '../../i18n/failure';
import type { Device, Polyhouse } from './queries';

export interface FarmThings {
  farmId: string;
  devices: readonly Device[];
  houses: readonly Polyhouse[];
  /** Undefined until they are known. */
  sensors: readonly SensorReading[] | undefined;
}

const none: readonly never[] = [];

export function useFarmThings(farmId: string) {
  const devices = useQuery(devicesQuery(farmId));
  const houses = useQuery(polyhousesQuery(farmId));
  const telemetry = useQuery(latestTelemetryQuery(farmId));
  const things: FarmThings = {
    farmId,
    devices: devices.data ?? none,
    houses: houses.data ?? none,
    sensors: telemetry.data?.sensors,
  };
  return {
    things,
    /** What a form offers to choose from is there. */
    ready: !devices.isPending && !houses.isPending,
    failed: failedOf([devices, houses, telemetry]),
  };
}
