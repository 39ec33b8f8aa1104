// What several screens ask about a farm.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from './client';
import { keys } from './keys';

/** In case the live connection is down. */
const RELOAD_MS = 30_000;
/** A level is the sensors' to say, and their messages do not name reservoirs: a small question, asked often. */
const LEVEL_MS = 5_000;

const path = (farmId: string) => ({ params: { path: { farmId } } });

/** The farm in numbers. */
export function summaryQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.summary(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/summary', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

export function polyhousesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.polyhouses(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/polyhouses', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

export function reservoirsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.reservoirs(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/reservoirs', path(farmId))),
    refetchInterval: LEVEL_MS,
  });
}

export function devicesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.devices(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/devices', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

/** Every sensor, with whether its controller still announces it. */
export function registeredSensorsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.sensors(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/sensors', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

/** The sensors whose values follow from others. */
export function derivedSensorsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.derivedSensors(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/derived-sensors', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

export function rulesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.rules(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/rules', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

/** Named targets, and what they are now: they move by the clock. */
export function setpointsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.setpoints(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/setpoints', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

/** The rules' names by their ids. */
export function ruleNamesQuery(farmId: string) {
  return queryOptions({
    ...rulesQuery(farmId),
    select: (rules) => new Map(rules.map(({ id, name }) => [id, name])),
  });
}

/** How often it is asked what conditions see: readings come all the time. */
const SEE_AGAIN_MS = 2_000;

/** What the conditions of the rules see. */
export const conditionsQuery = (farmId: string) =>
  queryOptions({
    queryKey: keys.conditions(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/conditions', path(farmId))),
    refetchInterval: SEE_AGAIN_MS,
  });

/** Where the conditions of the rules look. Their values come with that, but nothing is drawn anew for each. */
export const rulePlacesQuery = (farmId: string) =>
  queryOptions({
    ...conditionsQuery(farmId),
    refetchInterval: RELOAD_MS,
    select: (rules) =>
      rules.map(({ rule, trigger, stop }) => ({
        rule,
        trigger: trigger && { place: trigger.place },
        stop: stop && { place: stop.place },
      })),
  });

/** What the log tells that rules did at one instant. */
export const ruleLogQuery = (farmId: string, at: number) =>
  queryOptions({
    queryKey: [...keys.logs(farmId), 'rules-at', at],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/logs', {
          params: { path: { farmId }, query: { type: 'rule_trigger', from: at, to: at, pageSize: 100 } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Every sensor with its value; live messages are folded into it. */
export function latestTelemetryQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.latestTelemetry(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/latest-telemetry', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}
