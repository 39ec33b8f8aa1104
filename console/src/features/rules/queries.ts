// The rules of a farm and what they watch and switch: loading and changing.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];
export type Rule = Schemas['Rule'];
export type NewRule = Schemas['NewRule'];
export type RuleChange = Schemas['RuleChange'];
export type Device = Schemas['Device'];
export type Polyhouse = Schemas['Polyhouse'];

const path = (farmId: string) => ({ params: { path: { farmId } } });

/** The rule is not what the form began with any more. */
export class ChangedElsewhere extends Error {}

/** Whether two say the same; where they stand does not count. */
export function sameDocument({ status: _, ...one }: Rule, { status: __, ...other }: Rule): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Makes a rule, or replaces the one that the form began with, if that is still what the server has. */
export function useSaveRule(farmId: string) {
  const cache = useQueryClient();
  const show = (rule: Rule) =>
    keep(cache.getQueryData<Rule[]>(keys.rules(farmId)), rule, (rules) =>
      cache.setQueryData(keys.rules(farmId), rules),
    );
  return useMutation({
    mutationFn: async ({ before, document }: { before: Rule | undefined; document: NewRule }) => {
      if (!before) return answer(api.POST('/api/farms/{farmId}/rules', { ...path(farmId), body: document }));
      const params = { path: { farmId, ruleId: before.id } };
      const present = await answer(api.GET('/api/farms/{farmId}/rules/{ruleId}', { params }));
      if (!sameDocument(present, before)) {
        show(present);
        throw new ChangedElsewhere();
      }
      return answer(api.PUT('/api/farms/{farmId}/rules/{ruleId}', { params, body: document }));
    },
    onSuccess: (saved) => {
      show(saved);
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
