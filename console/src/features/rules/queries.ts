// The rules of a farm and what they watch and switch: loading and changing.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api, ifMatch } from '../../api/client';
import { ApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];
export type Rule = Schemas['Rule'];
export type NewRule = Schemas['NewRule'];
export type RuleChange = Schemas['RuleChange'];
export type Device = Schemas['Device'];
export type Polyhouse = Schemas['Polyhouse'];
export type Sight = Schemas['Sight'];
export type Hazard = Schemas['RuleCheck']['hazards'][number];

const path = (farmId: string) => ({ params: { path: { farmId } } });

/** How often it is asked what conditions see: readings come all the time. */
const SEE_AGAIN_MS = 2_000;
/** A draft is checked when nobody has typed for so long. */
const TYPED_MS = 300;

/** What the conditions of the rules see. */
export const conditionsQuery = (farmId: string) =>
  queryOptions({
    queryKey: keys.conditions(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/conditions', path(farmId))),
    refetchInterval: SEE_AGAIN_MS,
  });

/** What there is to know of a rule that is being written; what its conditions see only once it is asked of the present draft. */
export function useRuleCheck(farmId: string, draft: NewRule) {
  // Text, because a draft is made anew each time it is drawn; what is no number yet is not there.
  const written = JSON.stringify(draft);
  const [typed] = useDebouncedValue(written, TYPED_MS);
  const body: Schemas['RuleDraft'] = JSON.parse(typed);
  const { data, isPlaceholderData } = useQuery({
    queryKey: [...keys.conditions(farmId), typed],
    queryFn: () => answer(api.POST('/api/farms/{farmId}/check-rule', { ...path(farmId), body })),
    placeholderData: keepPreviousData,
    refetchInterval: SEE_AGAIN_MS,
    gcTime: 0,
  });
  const present = typed === written && !isPlaceholderData;
  return {
    hazards: data?.hazards ?? [],
    trigger: present ? data?.trigger : undefined,
    stop: present ? data?.stop : undefined,
  };
}

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
      const headers = ifMatch(before);
      try {
        return await answer(
          api.PUT('/api/farms/{farmId}/rules/{ruleId}', { params, headers, body: document }),
        );
      } catch (error) {
        if (!(error instanceof ApiError && error.changed)) throw error;
        show(error.changed.current as Rule);
        throw new ChangedElsewhere();
      }
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
