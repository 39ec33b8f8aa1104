// What STOP and locks ask the server. Stopping itself does not pass through here: api/stop.ts has its own way.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { useFarms } from '../../api/farms';
import { farmKey, keys } from '../../api/keys';
import { polyhousesQuery } from '../../api/queries';
import type { components } from '../../api/schema';
import { isWorkersOwn, workQuery } from '../../api/work';

export type Device = components['schemas']['Device'];
export type DeviceLock = components['schemas']['DeviceLock'];
export type Stop = components['schemas']['Stop'];
export type StopScope = components['schemas']['StopScope'];

/** In case the live connection is down. */
const RELOAD_MS = 30_000;

/** The stops that hold. */
export function stopsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.stops(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/stop', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

/** The farm's houses, of a worker those that he was given. */
export function useHouses(farmId: string): readonly { id: string; name: string }[] | undefined {
  const { current } = useFarms();
  const own = isWorkersOwn(current);
  const all = useQuery({ ...polyhousesQuery(farmId), enabled: !own });
  const given = useQuery({ ...workQuery(farmId), enabled: own });
  return own ? given.data?.houses.map(({ polyhouseId, name }) => ({ id: polyhouseId, name })) : all.data;
}

/** A device is another one after each of these, and so may be what stops it. */
function useRefresh(farmId: string) {
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: farmKey(farmId) });
}

/** Opens a person's stops in a scope. */
export function useOpenStops(farmId: string) {
  const refresh = useRefresh(farmId);
  return useMutation({
    mutationFn: (body: components['schemas']['OpenStops']) =>
      answer(api.POST('/api/farms/{farmId}/stop/open', { params: { path: { farmId } }, body })),
    onSettled: refresh,
  });
}

/** Puts a person's lock on a device. */
export function useLock(farmId: string, deviceId: string) {
  const refresh = useRefresh(farmId);
  return useMutation({
    mutationFn: (reason: string) =>
      answer(
        api.POST('/api/farms/{farmId}/devices/{deviceId}/lock', {
          params: { path: { farmId, deviceId } },
          body: { reason },
        }),
      ),
    onSettled: refresh,
  });
}

/** Opens one lock of a device. */
export function useUnlock(farmId: string, deviceId: string) {
  const refresh = useRefresh(farmId);
  return useMutation({
    mutationFn: (body: components['schemas']['Unlock']) =>
      answer(
        api.POST('/api/farms/{farmId}/devices/{deviceId}/unlock', {
          params: { path: { farmId, deviceId } },
          body,
        }),
      ),
    onSettled: refresh,
  });
}

/** Gives devices back to the rules at once. */
export function useRelease(farmId: string) {
  const refresh = useRefresh(farmId);
  return useMutation({
    mutationFn: (deviceIds: readonly string[]) =>
      Promise.all(
        deviceIds.map((device_id) =>
          answer(
            api.POST('/api/farms/{farmId}/commands', {
              params: { path: { farmId } },
              body: { cmd_type: 'release', device_id, action: { mode: 'auto' }, duration_sec: 0 },
            }),
          ),
        ),
      ),
    onSettled: refresh,
  });
}
