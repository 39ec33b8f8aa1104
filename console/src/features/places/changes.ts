// Changing the places of a farm and what is in them.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { farmKey } from '../../api/keys';
import type { components } from '../../api/schema';

export type PolyhouseFields = components['schemas']['PolyhouseInput'];
export type ReservoirFields = components['schemas']['ReservoirInput'];
export type ThingFields = components['schemas']['AssetChange'];

/** A place has its name on many screens: all of the farm is asked for again, as far as it is shown. */
function useChange<T>(farmId: string, mutationFn: (wanted: T) => Promise<unknown>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => cache.invalidateQueries({ queryKey: farmKey(farmId) }),
  });
}

/** Adds a polyhouse (in use from the start), or changes the one with the id. */
export function useSavePolyhouse(farmId: string) {
  return useChange(farmId, ({ id, fields }: { id: string | undefined; fields: PolyhouseFields }) =>
    id === undefined
      ? answer(
          api.POST('/api/farms/{farmId}/polyhouses', {
            params: { path: { farmId } },
            body: { name: fields.name, capacity: fields.capacity ?? null },
          }),
        )
      : answer(
          api.PUT('/api/farms/{farmId}/polyhouses/{polyhouseId}', {
            params: { path: { farmId, polyhouseId: id } },
            body: fields,
          }),
        ),
  );
}

export function useDeletePolyhouse(farmId: string) {
  return useChange(farmId, (polyhouseId: string) =>
    answer(
      api.DELETE('/api/farms/{farmId}/polyhouses/{polyhouseId}', {
        params: { path: { farmId, polyhouseId } },
      }),
    ),
  );
}

/** Adds a zone to a polyhouse, or renames the one with the id. */
export function useSaveZone(farmId: string, polyhouseId: string) {
  return useChange(farmId, ({ id, name }: { id: string | undefined; name: string }) =>
    id === undefined
      ? answer(
          api.POST('/api/farms/{farmId}/polyhouses/{polyhouseId}/zones', {
            params: { path: { farmId, polyhouseId } },
            body: { name },
          }),
        )
      : answer(
          api.PUT('/api/farms/{farmId}/polyhouses/{polyhouseId}/zones/{zoneId}', {
            params: { path: { farmId, polyhouseId, zoneId: id } },
            body: { name },
          }),
        ),
  );
}

export function useDeleteZone(farmId: string, polyhouseId: string) {
  return useChange(farmId, (zoneId: string) =>
    answer(
      api.DELETE('/api/farms/{farmId}/polyhouses/{polyhouseId}/zones/{zoneId}', {
        params: { path: { farmId, polyhouseId, zoneId } },
      }),
    ),
  );
}

/** Adds a reservoir, or changes the one with the id. */
export function useSaveReservoir(farmId: string) {
  return useChange(farmId, ({ id, fields }: { id: string | undefined; fields: ReservoirFields }) =>
    id === undefined
      ? answer(api.POST('/api/farms/{farmId}/reservoirs', { params: { path: { farmId } }, body: fields }))
      : answer(
          api.PUT('/api/farms/{farmId}/reservoirs/{reservoirId}', {
            params: { path: { farmId, reservoirId: id } },
            body: fields,
          }),
        ),
  );
}

export function useDeleteReservoir(farmId: string) {
  return useChange(farmId, (reservoirId: string) =>
    answer(
      api.DELETE('/api/farms/{farmId}/reservoirs/{reservoirId}', {
        params: { path: { farmId, reservoirId } },
      }),
    ),
  );
}

/** Renames or moves a sensor or a device. */
export function useSaveThing(farmId: string) {
  return useChange(
    farmId,
    ({ kind, id, fields }: { kind: 'sensor' | 'device'; id: string; fields: ThingFields }) =>
      kind === 'sensor'
        ? answer(
            api.PATCH('/api/farms/{farmId}/sensors/{sensorId}', {
              params: { path: { farmId, sensorId: id } },
              body: fields,
            }),
          )
        : answer(
            api.PATCH('/api/farms/{farmId}/devices/{deviceId}', {
              params: { path: { farmId, deviceId: id } },
              body: fields,
            }),
          ),
  );
}
