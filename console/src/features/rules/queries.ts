// The rules of a farm and what they watch and switch: loading and changing.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
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
/** A named target. */
export type Setpoint = Schemas['FarmSetpoint'];
export type Sight = Schemas['Sight'];
/** What the conditions of a rule see. */
export type Sights = Schemas['RuleConditions'];
export type Hazard = Schemas['RuleCheck']['hazards'][number];
/** What the engine found to be dangerous, with what shows it. */
export type FoundHazard = Schemas['FoundHazard'];

const path = (farmId: string) => ({ params: { path: { farmId } } });

/** How often it is asked what conditions see: readings come all the time. */
const SEE_AGAIN_MS = 2_000;
/** A draft is checked when nobody has typed for so long. */
const TYPED_MS = 300;

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
    found: data?.found ?? [],
    trigger: present ? data?.trigger : undefined,
    stop: present ? data?.stop : undefined,
  };
}

/** Makes a rule, or replaces one; `over` are the kinds of hazard over which an owner deploys it. */
export function saveRule(
  farmId: string,
  known: Rule | undefined,
  body: NewRule,
  headers: Headers,
  over: readonly string[] = [],
) {
  const query = over.length > 0 ? { overHazards: over.join(',') } : {};
  return known
    ? api.PUT('/api/farms/{farmId}/rules/{ruleId}', {
        params: { path: { farmId, ruleId: known.id }, query },
        headers,
        body,
      })
    : api.POST('/api/farms/{farmId}/rules', { params: { path: { farmId }, query }, headers, body });
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
