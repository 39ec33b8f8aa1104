// The places of a farm and what is in them: what the screens load.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { SensorReading } from '../../api/readings';
import type { components } from '../../api/schema';

export type Polyhouse = components['schemas']['Polyhouse'];
export type Zone = components['schemas']['Zone'];
export type Reservoir = components['schemas']['Reservoir'];
export type Device = components['schemas']['Device'];
export type { SensorReading };

/** In case the live connection is down. */
const RELOAD_MS = 30_000;

function path(farmId: string) {
  return { params: { path: { farmId } } };
}

/** Every sensor with its value; live messages are folded into it. */
export function sensorsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.latestTelemetry(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/latest-telemetry', path(farmId))),
    refetchInterval: RELOAD_MS,
    select: ({ sensors }) => sensors,
  });
}
