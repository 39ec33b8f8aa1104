// What the server explains: of a device or a rule, now or at an instant; why a rule did not act; what other rules would have done.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import type { Place, SensorTypeName } from '../../i18n/domain';

export type DeviceExplanation = components['schemas']['DeviceExplanation'];
export type RuleExplanation = components['schemas']['RuleExplanation'];
export type WhyNot = components['schemas']['WhyNot'];
export type Backtest = components['schemas']['Backtest'];
export type Truth = components['schemas']['Truth'];
type RuleDocument = components['schemas']['BacktestInput']['rules'];

/** What is so now is asked again while one looks at it. */
const AGAIN_MS = 10_000;

/** Of an instant past nothing changes any more. */
const often = (at: number | undefined) =>
  at === undefined ? { refetchInterval: AGAIN_MS } : { staleTime: Number.POSITIVE_INFINITY };
const asked = (at: number | undefined) => (at === undefined ? {} : { at });

export const deviceExplanationQuery = (farmId: string, deviceId: string, at?: number) =>
  queryOptions({
    queryKey: [...keys.devices(farmId), deviceId, 'explanation', at],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/farms/{farmId}/devices/{deviceId}/explanation', {
          params: { path: { farmId, deviceId }, query: asked(at) },
          signal,
        }),
      ),
    ...often(at),
  });

export const ruleExplanationQuery = (farmId: string, ruleId: string, at?: number) =>
  queryOptions({
    queryKey: [...keys.rules(farmId), ruleId, 'explanation', at],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/farms/{farmId}/rules/{ruleId}/explanation', {
          params: { path: { farmId, ruleId }, query: asked(at) },
          signal,
        }),
      ),
    ...often(at),
  });

export const whyNotQuery = (farmId: string, ruleId: string, from: number, to: number) =>
  queryOptions({
    queryKey: [...keys.rules(farmId), ruleId, 'why-not', from, to],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/rules/{ruleId}/why-not', {
          params: { path: { farmId, ruleId }, query: { from, to } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What is tried, from an instant on, under a name by which how far it has come is asked. */
export interface Trial {
  rules: NonNullable<RuleDocument>;
  from: number;
  name: string;
  /** Whether readings follow what devices would have done. */
  twin: boolean;
}

export const tryRules = (farmId: string, trial: Trial, signal: AbortSignal) =>
  answer(
    api.POST('/api/farms/{farmId}/backtests', {
      params: { path: { farmId } },
      body: trial,
      signal,
    }),
  );

/** A short trial is over before anybody asks how far it is. */
const PROGRESS_MS = 500;

export const trialProgressQuery = (farmId: string, name: string) =>
  queryOptions({
    queryKey: [...keys.rules(farmId), 'trial', name],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/farms/{farmId}/backtests/{name}', {
          params: { path: { farmId, name } },
          signal,
        }),
      ),
    refetchInterval: PROGRESS_MS,
    // Its answer itself says more.
    retry: false,
  });

export interface Signal {
  type: SensorTypeName;
  place: Place;
}

/** The one signal that a rule looks at; none of one that looks at several. */
export function signalOf(rule: Record<string, unknown>): Signal | undefined {
  const trigger = rule['trigger'] as { sensor_type?: SensorTypeName; scope?: Place } | null | undefined;
  const place = trigger?.scope ?? (rule['scope'] as Place | undefined);
  return trigger?.sensor_type && place ? { type: trigger.sensor_type, place } : undefined;
}

/** What the signal was over the span of a trial. */
export function trialSignalQuery(farmId: string, signal: Signal | undefined, from: number, to: number) {
  const { zoneId, polyhouseId } = signal?.place ?? {};
  const at = zoneId ? { zone: zoneId } : polyhouseId ? { polyhouse: polyhouseId } : {};
  return queryOptions({
    queryKey: [...keys.history(farmId), 'trial', at, signal?.type, from, to],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/history', {
          params: {
            path: { farmId },
            query: { from, to, ...at, ...(signal && { types: signal.type }) },
          },
        }),
      ),
    enabled: signal !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
