// Who is told of a farm's alerts: loading it, what a form holds of it, and what is wrong with that.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import type { RoleName } from '../../i18n/roles';

type Schemas = components['schemas'];
export type Escalation = Schemas['Escalation'];
export type Person = Schemas['EscalationPerson'];
export type Step = Schemas['EscalationStep'];
export type Severity = Step['severities'][number];
export type Duty = Schemas['DutyTime'];

/** After how many minutes without an answer a step is told. */
export const WAITS = [0, 5, 10, 15, 20, 30, 45, 60, 120, 240] as const;
export const MAX_STEPS = 10;
/** On duty now changes with the clock. */
const LOOK_MS = 60_000;

/** Under the alerts: people and answers make both old. */
export function escalationQuery(farmId: string) {
  return queryOptions({
    queryKey: [...keys.alerts(farmId), 'told'],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/escalation', { params: { path: { farmId } } })),
    refetchInterval: LOOK_MS,
  });
}

/** What the form holds. */
export type Draft = { steps: Step[]; duties: Duty[] };

export function draftOf(known: Escalation | undefined): Draft {
  return { steps: known?.steps ?? [], duties: known?.duties ?? [] };
}

/** A step's people as the value of a list: `on_duty`, `role:OWNER`, `people`. */
export function whoValue({ who }: Step): string {
  return who.kind === 'role' ? `role:${who.role}` : who.kind;
}

export function withWho(step: Step, value: string): Step {
  if (value === 'on_duty') return { ...step, who: { kind: 'on_duty' } };
  if (value === 'people') return { ...step, who: { kind: 'people', people: [] } };
  return { ...step, who: { kind: 'role', role: value.slice('role:'.length) as RoleName } };
}

/** In or out of a list, in the order of all. */
export function toggled<T>(list: readonly T[], one: T, all: readonly T[]): T[] {
  return all.filter((each) => list.includes(each) !== (each === one));
}

/** What is wrong, by the name of its text. */
export function problemsOf({
  steps,
  duties,
}: Draft): Record<string, 'told.someSeverity' | 'told.somebody' | 'told.someDay'> {
  return Object.fromEntries([
    ...steps.flatMap(({ severities, who }, n) => [
      ...(severities.length === 0 ? [[`steps.${n}`, 'told.someSeverity']] : []),
      ...(who.kind === 'people' && who.people.length === 0 ? [[`steps.${n}`, 'told.somebody']] : []),
    ]),
    ...duties.flatMap(({ days, userId }, n) => [
      ...(userId === '' ? [[`duties.${n}`, 'told.somebody']] : []),
      ...(days.length === 0 ? [[`duties.${n}`, 'told.someDay']] : []),
    ]),
  ]);
}
