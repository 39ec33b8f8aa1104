// What the histories ask the server.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import { looks, type Span, windowAt } from './span';

function path(farmId: string) {
  return { params: { path: { farmId } } };
}

export function polyhousesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.polyhouses(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/polyhouses', path(farmId))),
  });
}

export function rulesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.rules(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/rules', path(farmId))),
  });
}

export function devicesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.devices(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/devices', path(farmId))),
  });
}

/** Which sensors there are. Their values come with them, many times a minute: a chart must not be drawn for each. */
export function sensorsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.latestTelemetry(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/latest-telemetry', path(farmId))),
    select: ({ sensors }) => sensors.map((sensor) => ({ ...sensor, latestValue: null, at: null })),
  });
}

export function sensorHistoryQuery(farmId: string, sensorId: string, span: Span) {
  const { step, reload } = looks[span];
  return queryOptions({
    queryKey: [...keys.history(farmId), 'sensor', sensorId, span],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/sensors/{sensorId}/history', {
          params: {
            path: { farmId, sensorId },
            query: { ...windowAt(span, Date.now()), step: step / 1_000 },
          },
        }),
      ),
    refetchInterval: reload,
    staleTime: reload / 2,
    placeholderData: keepPreviousData,
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
