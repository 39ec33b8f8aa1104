// What rules are about: the farm's devices and places, as far as they are known.
import { useQuery } from '@tanstack/react-query';
import { devicesQuery, polyhousesQuery, rulesQuery } from '../../api/queries';
import { failedOf } from '../../i18n/failure';
import type { Device, Polyhouse, Rule } from './queries';

export interface FarmThings {
  farmId: string;
  devices: readonly Device[];
  houses: readonly Polyhouse[];
  /** Those that conditions may name. */
  rules: readonly Rule[];
}

const none: readonly never[] = [];

export function useFarmThings(farmId: string) {
  const devices = useQuery(devicesQuery(farmId));
  const houses = useQuery(polyhousesQuery(farmId));
  const things: FarmThings = {
    farmId,
    devices: devices.data ?? none,
    houses: houses.data ?? none,
    rules: useQuery(rulesQuery(farmId)).data ?? none,
  };
  return {
    things,
    /** What a form offers to choose from is there. */
    ready: !devices.isPending && !houses.isPending,
    failed: failedOf([devices, houses]),
  };
}
