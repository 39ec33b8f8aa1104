// The rules of a farm and what they watch and switch: loading and changing.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];
export type Rule = Schemas['Rule'];
export type NewRule = Schemas['NewRule'];
export type RuleChange = Schemas['RuleChange'];
export type Device = Schemas['Device'];
export type Polyhouse = Schemas['Polyhouse'];

/** Live messages bring changes at once; this is for when they do not come. */
const RELOAD_MS = 30_000;

const path = (farmId: string) => ({ params: { path: { farmId } } });

export function rulesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.rules(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/rules', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

export function devicesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.devices(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/devices', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

export function polyhousesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.polyhouses(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/polyhouses', path(farmId))),
  });
}

export function latestTelemetryQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.latestTelemetry(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/latest-telemetry', path(farmId))),
    refetchInterval: RELOAD_MS,
  });
}

/** Makes a rule, or replaces the one that has an id. */
export function useSaveRule(farmId: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, document }: { id: string | undefined; document: NewRule }) =>
      id === undefined
        ? answer(api.POST('/api/farms/{farmId}/rules', { ...path(farmId), body: document }))
        : answer(
            api.PUT('/api/farms/{farmId}/rules/{ruleId}', {
              params: { path: { farmId, ruleId: id } },
              body: document,
            }),
          ),
    onSuccess: (saved) => {
      keep(cache.getQueryData<Rule[]>(keys.rules(farmId)), saved, (rules) =>
        cache.setQueryData(keys.rules(farmId), rules),
      );
      return cache.invalidateQueries({ queryKey: keys.rules(farmId) });
    },
  });
}

/** Enables, disables or deploys. */
export function useChangeRule(farmId: string, ruleId: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (change: RuleChange) =>
      answer(
        api.PATCH('/api/farms/{farmId}/rules/{ruleId}', {
          params: { path: { farmId, ruleId } },
          body: change,
        }),
      ),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.rules(farmId) }),
  });
}

export function useDeleteRule(farmId: string, ruleId: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () =>
      answer(api.DELETE('/api/farms/{farmId}/rules/{ruleId}', { params: { path: { farmId, ruleId } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.rules(farmId) }),
  });
}

/** The list that follows the editor shows what was saved at once, and not the rule of before until the list is loaded again. */
function keep(known: Rule[] | undefined, saved: Rule, set: (rules: Rule[]) => void): void {
  if (!known) return;
  const others = known.filter(({ id }) => id !== saved.id);
  set([...others, saved]);
}
