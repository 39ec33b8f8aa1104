// What rules are about: the farm's devices and places, as far as they are known.
import { useQuery } from '@tanstack/react-query';
import { devicesQuery, polyhousesQuery, rulesQuery, setpointsQuery } from '../../api/queries';
import { failedOf } from '../../i18n/failure';
import type { Device, Polyhouse, Rule, Setpoint } from './queries';

export interface FarmThings {
  farmId: string;
  devices: readonly Device[];
  houses: readonly Polyhouse[];
  /** Those that conditions may name. */
  rules: readonly Rule[];
  /** Targets with which they may compare. */
  setpoints: readonly Setpoint[];
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
    setpoints: useQuery(setpointsQuery(farmId)).data ?? none,
  };
  return {
    things,
    /** What a form offers to choose from is there. */
    ready: !devices.isPending && !houses.isPending,
    failed: failedOf([devices, houses]),
  };
}
