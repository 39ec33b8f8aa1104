// The places of a farm and what is in them: what the screens load.
import { queryOptions } from '@tanstack/react-query';
import { latestTelemetryQuery } from '../../api/queries';
import type { SensorReading } from '../../api/readings';
import type { components } from '../../api/schema';

export type Polyhouse = components['schemas']['Polyhouse'];
export type Zone = components['schemas']['Zone'];
export type Reservoir = components['schemas']['Reservoir'];
export type Device = components['schemas']['Device'];
export type { SensorReading };

/** Every sensor with its value; live messages are folded into it. */
export function sensorsQuery(farmId: string) {
  return queryOptions({ ...latestTelemetryQuery(farmId), select: ({ sensors }) => sensors });
}
