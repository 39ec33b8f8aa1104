// What the server explains: of a device or a rule, now or at an instant; why a rule did not act; what other rules would have done.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

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

/** Tries rules from an instant on. */
export const tryRules = (
  farmId: string,
  rules: NonNullable<RuleDocument>,
  from: number,
  twin: boolean,
  signal: AbortSignal,
) =>
  answer(
    api.POST('/api/farms/{farmId}/backtests', {
      params: { path: { farmId } },
      body: { rules, from, twin },
      signal,
    }),
  );
