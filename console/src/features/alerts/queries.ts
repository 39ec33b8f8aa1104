// The alert rules of a farm: loading and changing them.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { Headers } from '../../screen/useRecordForm';
import type { Alert, AlertFields } from './alert';

/** Raising and resolving come over the live connection; that a condition begins to hold is only known by asking. */
const LOOK_MS = 10_000;

export function alertsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.alerts(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/alerts', { params: { path: { farmId } } })),
    refetchInterval: LOOK_MS,
  });
}

/** Loads again what an alert rule shows in, whatever the server answered. */
function useReload(farmId: string) {
  const cache = useQueryClient();
  return () =>
    Promise.all([
      cache.invalidateQueries({ queryKey: keys.alerts(farmId) }),
      cache.invalidateQueries({ queryKey: keys.summary(farmId) }),
    ]);
}

/** Makes an alert rule, or replaces one. */
export function saveAlert(farmId: string, known: Alert | undefined, body: AlertFields, headers: Headers) {
  return known
    ? api.PUT('/api/farms/{farmId}/alerts/{alertId}', {
        params: { path: { farmId, alertId: known.id } },
        headers,
        body,
      })
    : api.POST('/api/farms/{farmId}/alerts', { params: { path: { farmId } }, headers, body });
}

export function useSetActive(farmId: string) {
  const cache = useQueryClient();
  const reload = useReload(farmId);
  return useMutation({
    mutationFn: ({ id, isActive }: { id: string; isActive: boolean }) =>
      answer(
        api.PATCH('/api/farms/{farmId}/alerts/{alertId}', {
          params: { path: { farmId, alertId: id } },
          body: { isActive },
        }),
      ),
    onSuccess: (saved) => {
      cache.setQueryData<Alert[]>(keys.alerts(farmId), (known) =>
        known?.map((alert) => (alert.id === saved.id ? saved : alert)),
      );
    },
    onSettled: reload,
  });
}

export function useDeleteAlert(farmId: string) {
  const reload = useReload(farmId);
  return useMutation({
    mutationFn: (alertId: string) =>
      answer(api.DELETE('/api/farms/{farmId}/alerts/{alertId}', { params: { path: { farmId, alertId } } })),
    onSettled: reload,
  });
}
