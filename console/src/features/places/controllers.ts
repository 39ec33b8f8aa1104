// The controllers of a farm, and what is gone of what they announced.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { farmKey, keys } from '../../api/keys';
import type { components } from '../../api/schema';

export type Controller = components['schemas']['Controller'];
export type MqttAccount = components['schemas']['MqttAccount'];

/** In case the live connection is down. */
const RELOAD_MS = 30_000;

export function controllersQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.controllers(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/controllers', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

/** Every sensor, with whether its controller still announces it. */
export function registeredSensorsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.sensors(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/sensors', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

function useChange<Wanted, Made>(farmId: string, mutationFn: (wanted: Wanted) => Promise<Made>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => cache.invalidateQueries({ queryKey: farmKey(farmId) }),
  });
}

/** The new password is in the answer, and nowhere else. */
export function useRenewSecret(farmId: string) {
  return useChange(farmId, (macid: string) =>
    answer(
      api.POST('/api/farms/{farmId}/controllers/{macid}/secret', { params: { path: { farmId, macid } } }),
    ),
  );
}

export function useEnableController(farmId: string) {
  return useChange(farmId, ({ macid, enabled }: { macid: string; enabled: boolean }) =>
    answer(
      api.PATCH('/api/farms/{farmId}/controllers/{macid}', {
        params: { path: { farmId, macid } },
        body: { enabled },
      }),
    ),
  );
}

export function useRemoveController(farmId: string) {
  return useChange(farmId, (macid: string) =>
    answer(api.DELETE('/api/farms/{farmId}/controllers/{macid}', { params: { path: { farmId, macid } } })),
  );
}

/** Removes a sensor or a device that is gone. */
export function useRemoveThing(farmId: string) {
  return useChange(farmId, ({ kind, id }: { kind: 'sensor' | 'device'; id: string }) =>
    kind === 'sensor'
      ? answer(
          api.DELETE('/api/farms/{farmId}/sensors/{sensorId}', {
            params: { path: { farmId, sensorId: id } },
          }),
        )
      : answer(
          api.DELETE('/api/farms/{farmId}/devices/{deviceId}', {
            params: { path: { farmId, deviceId: id } },
          }),
        ),
  );
}
