// What the dashboard asks the server, again every 30 seconds in case the live connection is down.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

export type Summary = components['schemas']['FarmSummary'];
export type Weather = components['schemas']['Weather'];

const RELOAD_MS = 30_000;

function path(farmId: string) {
  return { params: { path: { farmId } } };
}

export function weatherQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.weather(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/weather', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

const LINE_RELOAD_MS = 300_000;

/** The farm's temperatures from an instant on. */
export function hottestQuery(farmId: string, from: number) {
  return queryOptions({
    queryKey: [...keys.history(farmId), 'hottest', from],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/history', {
          params: { path: { farmId }, query: { from, types: 'temperature' } },
        }),
      ),
    refetchInterval: LINE_RELOAD_MS,
    staleTime: LINE_RELOAD_MS / 2,
  });
}
