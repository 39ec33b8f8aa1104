// What the derived sensors' page asks the server.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import type { DerivedDocument } from './derived';

export type Check = components['schemas']['DerivedSensorCheck'];

/** In case the live connection is down. */
const RELOAD_MS = 30_000;
/** How often one that is being written is tried again: readings come all the time. */
const TRY_AGAIN_MS = 5_000;

/** Every sensor with its value; live messages are folded into it. */
export function sensorsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.latestTelemetry(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/latest-telemetry', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
    select: ({ sensors }) => sensors,
  });
}

/** What the derived sensor of a document, as text, would be; nothing is asked of an empty one. */
export function checkQuery(farmId: string, document: string) {
  return queryOptions({
    queryKey: [...keys.derivedSensors(farmId), 'check', document],
    queryFn: () =>
      answer(
        api.POST('/api/farms/{farmId}/derived-sensors/check', {
          params: { path: { farmId } },
          body: JSON.parse(document) as DerivedDocument,
        }),
      ),
    enabled: document !== '',
    refetchInterval: TRY_AGAIN_MS,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
}
