// What the messages of other people's devices mean: the profiles that are shipped, the farm's own, and what nobody understood.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from './client';
import { keys } from './keys';

/** What was refused on its way in, the latest first. */
export function deadLettersQuery(farmId: string) {
  return queryOptions({
    queryKey: [...keys.controllers(farmId), 'dead-letters'],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/dead-letters', { params: { path: { farmId } } })),
  });
}

/** Somebody has just put a device on the network. */
const WATCH_MS = 3_000;

/** What nobody reads yet, the latest first. */
export function unknownSendersQuery(farmId: string) {
  return queryOptions({
    queryKey: [...keys.controllers(farmId), 'unknown-senders'],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/unknown-senders', { params: { path: { farmId } } })),
    refetchInterval: WATCH_MS,
  });
}

/** The farm's own profiles. */
export function deviceProfilesQuery(farmId: string) {
  return queryOptions({
    queryKey: [...keys.controllers(farmId), 'device-profiles'],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/device-profiles', { params: { path: { farmId } } })),
  });
}

/** The profiles that come with the server. */
export const shippedProfilesQuery = queryOptions({
  queryKey: ['shipped-device-profiles'],
  queryFn: () => answer(api.GET('/api/device-profiles')),
  staleTime: Number.POSITIVE_INFINITY,
});
