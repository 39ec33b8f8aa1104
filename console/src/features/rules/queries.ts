// The rules of a farm and what they watch and switch: loading and changing.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import type { Headers } from '../../screen/useRecordForm';

type Schemas = components['schemas'];
export type Rule = Schemas['Rule'];
export type NewRule = Schemas['NewRule'];
export type RuleChange = Schemas['RuleChange'];
export type Device = Schemas['Device'];
export type Polyhouse = Schemas['Polyhouse'];

/** Makes a rule, or replaces one. */
export function saveRule(farmId: string, known: Rule | undefined, body: NewRule, headers: Headers) {
  return known
    ? api.PUT('/api/farms/{farmId}/rules/{ruleId}', {
        params: { path: { farmId, ruleId: known.id } },
        headers,
        body,
      })
    : api.POST('/api/farms/{farmId}/rules', { params: { path: { farmId } }, headers, body });
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
