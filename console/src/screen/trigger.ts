// What starts and stops a rule: a condition, a tree of them, or the clock. The one place where the forms are told apart.
import type { components } from '../api/schema';
import type { PlacedCondition, PlacedSchedule, PlacedTree, ThingNames } from '../i18n/domain';

type Schemas = components['schemas'];
type Rule = Schemas['Rule'];
type Trigger = Rule['trigger'];
export type Condition = Schemas['Condition'];

/** The condition where it is just one with a number; undefined of a setpoint, a tree, a schedule, or nothing. */
export function conditionOf(part: Trigger | null | undefined): Condition | undefined {
  return part && 'sensor_type' in part && !('setpoint' in part && part.setpoint)
    ? (part as Condition)
    : undefined;
}

export function scheduleOf(part: Trigger): Schemas['Schedule'] | undefined {
  return 'schedule' in part ? part.schedule : undefined;
}

/** Where the trigger looks, and by default the stop condition. */
export function triggerPlace(rule: Pick<Rule, 'trigger' | 'scope'>): Schemas['Scope'] {
  return conditionOf(rule.trigger)?.scope ?? rule.scope;
}

/** The trigger for its sentence. */
export function startWords(
  rule: Pick<Rule, 'trigger' | 'scope'>,
): PlacedCondition | PlacedTree | PlacedSchedule {
  const { trigger } = rule;
  const place = triggerPlace(rule);
  if ('schedule' in trigger) return { schedule: trigger.schedule, place };
  return partWords(trigger, place);
}

/** The stop condition for its sentence. */
export function stopWords(
  rule: Pick<Rule, 'trigger' | 'scope' | 'stop_condition'>,
): PlacedCondition | PlacedTree | undefined {
  const { stop_condition: stop } = rule;
  if (!stop) return undefined;
  const own = conditionOf(stop);
  // A condition alone looks where the trigger does; those of a tree where the rule does.
  return partWords(stop, own ? (own.scope ?? triggerPlace(rule)) : rule.scope);
}

function partWords(
  part: NonNullable<Rule['stop_condition']>,
  place: Schemas['Scope'],
): PlacedCondition | PlacedTree {
  const alone = conditionOf(part);
  if (alone) return { ...alone, place };
  const { duration_sec, ...tree } = part;
  return { tree, duration_sec, place };
}

interface Named {
  id: string;
  name: string;
}

/** The names of now; what is gone is told by its id. */
export function thingNames(
  rules: readonly Named[] | undefined,
  devices: readonly Named[] | undefined,
  setpoints?: readonly Named[],
): ThingNames {
  const nameIn = (things: readonly Named[] | undefined) => (id: string) =>
    things?.find((thing) => thing.id === id)?.name ?? id;
  return { rule: nameIn(rules), device: nameIn(devices), setpoint: nameIn(setpoints) };
}
