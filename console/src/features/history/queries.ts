// What the histories ask the server.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { Place } from '../../i18n/domain';
import { looks, type Span, windowAt } from './span';

/**
 * Every quantity that is measured for a place, in one answer: which those are and where is the server's to say, and asking for each
 * sensor would use up what a person may ask for.
 */
export function placeHistoryQuery(farmId: string, place: Place, span: Span) {
  const { reload } = looks[span];
  const { zoneId, polyhouseId } = place;
  const at =
    place.type === 'zone' && zoneId
      ? { zone: zoneId }
      : place.type === 'polyhouse' && polyhouseId
        ? { polyhouse: polyhouseId }
        : {};
  const key = [...keys.history(farmId), 'place', at];
  return queryOptions({
    queryKey: [...key, span],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/history', {
          params: {
            path: { farmId },
            query: { ...windowAt(span, Date.now()), ...at },
          },
        }),
      ),
    refetchInterval: reload,
    staleTime: reload / 2,
    // Another span of the same is shown until this one is there; another place never under this one's name.
    placeholderData: (before, query) =>
      JSON.stringify(query?.queryKey.slice(0, -1)) === JSON.stringify(key) ? before : undefined,
  });
}

export function deviceHistoryQuery(farmId: string, deviceId: string, span: Span) {
  const { reload } = looks[span];
  return queryOptions({
    queryKey: [...keys.history(farmId), 'device', deviceId, span],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/devices/{deviceId}/history', {
          params: { path: { farmId, deviceId }, query: windowAt(span, Date.now()) },
        }),
      ),
    refetchInterval: reload,
    staleTime: reload / 2,
    placeholderData: keepPreviousData,
  });
}

/** What the runs of a device came to in the same time. */
export function runEffectsQuery(farmId: string, deviceId: string, span: Span) {
  const { reload } = looks[span];
  return queryOptions({
    queryKey: [...keys.effects(farmId), deviceId, span],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/devices/{deviceId}/effects', {
          params: { path: { farmId, deviceId }, query: windowAt(span, Date.now()) },
        }),
      ),
    refetchInterval: reload,
    staleTime: reload / 2,
    // marks are kept and asked for no longer than this
    enabled: span !== '1y',
  });
}
