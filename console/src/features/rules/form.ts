// The editor's fields, how a rule becomes them and they become a rule again. Numbers stay text while they are typed.

import type { UseFormReturnType } from '@mantine/form';
import type { components } from '../../api/schema';
import { actionSpecs, type PlaceNames, type SensorTypeName, sensorSpecs } from '../../i18n/domain';
import { choiceOf, type PlaceChoice, type Scope, scopeOf } from '../../screen/condition/places';
import { numberIn, type Span, secondsIn, spanOf } from '../../screen/condition/span';
import { type Condition, conditionOf, scheduleOf, triggerPlace } from '../../screen/trigger';
import { nearest } from '../../ui/wheel';
import { type CurveFields, curveFrom, curveOf, follows } from './curve';
import {
  aloneIn,
  type GroupFields,
  groupFrom,
  isBlank,
  type LeafFields,
  newLeaf,
  sameMeaning,
  treeOf,
} from './leaves';
import { ownChoice } from './places';
import type { Device, NewRule, Rule } from './queries';
import { newSchedule, type ScheduleFields, type Starts, scheduleFields, scheduleFrom } from './schedule';
import { isAbove, rounded, usualOf } from './usual';

type Schemas = components['schemas'];

export type { Condition };
export type Operator = Schemas['Operator'];
export type ActionName = Schemas['ActionName'];
type OnSignalLost = Schemas['OnSignalLost'];

export type ActionFields = {
  /** Tells the rows apart while they come and go. */
  key: number;
  device_id: string;
  command: { action: ActionName | ''; value: string };
  delay_sec: Span;
  /** For how long at most, and how much longer than the rule; zero: until the rule stops, and no longer. */
  for_sec: Span;
  linger_sec: Span;
  /** How its value follows a signal, if it does. */
  curve: CurveFields | null;
};

/** As the document names them, so that what the server says stands where it belongs. */
export type RuleFields = {
  name: string;
  /** Whether somebody named it; until then it is called by what it says. */
  named: boolean;
  description: string;
  mode: Rule['mode'];
  priority: string;
  scope: PlaceChoice;
  /** Whether it starts on a condition, at times of day, or every so many minutes. */
  starts: Starts;
  trigger: GroupFields;
  schedule: ScheduleFields;
  actions: readonly ActionFields[];
  stops: boolean;
  stop_condition: GroupFields;
  on_signal_lost: OnSignalLost;
  /** How long a run lasts at most; zero: no end. What starts by the clock needs it. */
  run_sec: Span;
};

/** Spec 9. */
export const DEFAULT_PRIORITY = 5;
export const DEFAULT_HOLD_SEC = 300;
/** As many as the server takes. */
export const MAX_ACTIONS = 64;
/** A rule without a stop condition ends when its trigger has been false for as long as it held, at most so long. */
export const MAX_CLEAR_SEC = 60;
/** How long a run, and an action, may last. */
export const MAX_RUN_SEC = 86_400;
export const MAX_LINGER_SEC = 60;

/** One more action. */
export function newAction(actions: readonly ActionFields[]): ActionFields {
  return {
    key: 1 + Math.max(-1, ...actions.map(({ key }) => key)),
    device_id: '',
    command: { action: '', value: '' },
    delay_sec: spanOf(0),
    for_sec: spanOf(0),
    linger_sec: spanOf(0),
    curve: null,
  };
}

/** A group of one condition. */
export const groupOf = (leaf: Partial<LeafFields>, holdSec = DEFAULT_HOLD_SEC): GroupFields => ({
  joined: 'all',
  of: [newLeaf(leaf)],
  duration_sec: spanOf(holdSec),
});

/** An empty form; a farm with polyhouses has most of its rules in one. */
/** What a new rule begins with: about a quantity in a place, where it is made from what is measured there. */
export interface Begun {
  scope?: PlaceChoice | undefined;
  type?: SensorTypeName | undefined;
}

export function newFields(houses: PlaceNames, { scope, type }: Begun = {}): RuleFields {
  const trigger = groupOf(type ? { sensor_type: type } : {});
  const [first] = houses;
  return {
    name: '',
    named: false,
    description: '',
    mode: 'auto',
    priority: String(DEFAULT_PRIORITY),
    scope: scope ?? (first ? `polyhouse:${first.id}` : 'farm'),
    starts: 'condition',
    trigger,
    schedule: newSchedule(),
    actions: [newAction([])],
    stops: false,
    stop_condition: stopLike(trigger),
    on_signal_lost: 'stop',
    run_sec: spanOf(0),
  };
}

type Part = Rule['trigger'] | Rule['stop_condition'];

/** The fields of a condition or tree; undefined where they cannot say all of it. */
function groupFields(part: NonNullable<Part>, inherited: Scope): GroupFields | undefined {
  const alone = conditionOf(part);
  if (alone) {
    const { sensor_type, operator, value, value_max, duration_sec, scope } = alone;
    return groupOf(
      {
        sensor_type,
        operator,
        value: String(value),
        value_max: typeof value_max === 'number' ? String(value_max) : '',
        scope: ownChoice(scope, inherited),
      },
      duration_sec,
    );
  }
  if ('schedule' in part) return undefined;
  const group = groupFrom(part as Schemas['ConditionTree'], (part as Schemas['ConditionTree']).duration_sec);
  // Only the meaning of places counts, so none has to be known.
  return group && sameMeaning(treeOf(group, { houses: [], farmId: '' }), part) ? group : undefined;
}

/** The fields of a rule; undefined where they cannot say all of it. */
export function fieldsOf(rule: Rule): RuleFields | undefined {
  const { name, description, mode, scope, on_signal_lost, run_sec, trigger: start, stop_condition } = rule;
  const schedule = scheduleOf(start);
  const byClock = schedule && scheduleFields(schedule);
  const trigger = schedule ? groupOf({}) : groupFields(start, scope);
  const stop = stop_condition && groupFields(stop_condition, triggerPlace(rule));
  if (!trigger || (schedule && !byClock) || (stop_condition && !stop)) return undefined;
  return {
    name,
    named: true,
    description,
    mode,
    priority: String(rule.priority),
    scope: choiceOf(scope),
    starts: 'condition',
    trigger,
    schedule: newSchedule(),
    ...byClock,
    actions: rule.actions.map(
      ({ device_id, command: { action, value }, delay_sec, for_sec, linger_sec, curve }, key) => ({
        key,
        device_id,
        command: { action, value: hasValue(action) && typeof value === 'number' ? String(value) : '' },
        delay_sec: spanOf(delay_sec),
        for_sec: spanOf(for_sec ?? 0),
        linger_sec: spanOf(linger_sec ?? 0),
        curve: curve ? curveFrom(curve) : null,
      }),
    ),
    stops: Boolean(stop),
    stop_condition: stop || stopLike(trigger),
    on_signal_lost,
    run_sec: spanOf(run_sec ?? 0),
  };
}

/** What most stop conditions are: the same quantity, the other way, the usual distance from where it starts. */
export function stopLike(trigger: GroupFields): GroupFields {
  const of = trigger.of.find(({ kind }) => kind === 'signal') ?? newLeaf();
  const below = ['gt', 'gte', 'eq'].includes(of.operator);
  const from = ['eq', 'between'].includes(of.operator) ? Number.NaN : numberIn(of.value);
  const { min, max } = sensorSpecs[of.sensor_type];
  const { gap, step } = usualOf(of.sensor_type);
  const value = nearest(below ? from - gap : from + gap, { min, max, step });
  if (of.setpoint !== '') {
    const offset = numberIn(of.offset) + (below ? -gap : gap);
    return groupOf({
      sensor_type: of.sensor_type,
      operator: below ? 'lt' : 'gt',
      setpoint: of.setpoint,
      offset: Number.isNaN(offset) ? '0' : String(rounded(offset)),
      scope: of.scope,
    });
  }
  return groupOf({
    sensor_type: of.sensor_type,
    operator: below ? 'lt' : 'gt',
    value: Number.isNaN(value) ? '' : String(value),
    // A condition alone looks where the trigger does.
    scope: aloneIn(trigger) ? '' : of.scope,
  });
}

/** Where the stop condition goes when the trigger gets that value and would not start beyond it any more; undefined where it stays. */
export function stopBehind({ starts, stops, trigger, stop_condition }: RuleFields, value: string) {
  const [from, stop] = [aloneIn(trigger), aloneIn(stop_condition)];
  if (starts !== 'condition' || !stops || !from || !stop || stop.scope !== '') return undefined;
  if (stop.sensor_type !== from.sensor_type || stop.value === '') return undefined;
  const by = numberIn(stop.value) - numberIn(value);
  const crossed = isAbove(from.operator)
    ? by >= 0 && !isAbove(stop.operator)
    : by <= 0 && isAbove(stop.operator);
  if (!crossed || from.operator === 'eq' || from.operator === 'between') return undefined;
  return aloneIn(stopLike({ ...trigger, of: [{ ...from, value }] }))?.value;
}

/** Whether an action carries a value: on and off do not. */
export function hasValue(action: ActionName): boolean {
  return actionSpecs[action].unit !== null;
}

/** What a device can be told: what its controller announced, else what everything can. */
export function actionsOf(device: Device | undefined): ActionName[] {
  const announced = device?.supportedActions.map(({ action }) => action) ?? [];
  return announced.length > 0 ? announced : ['on', 'off'];
}

/** The limits of an action's value: the device's own within those of the action. */
export function valueRange(action: ActionName, device: Device | undefined): { min: number; max: number } {
  const { min, max } = actionSpecs[action];
  const own = device?.supportedActions.find((supported) => supported.action === action);
  return { min: Math.max(min, own?.minValue ?? min), max: Math.min(max, own?.maxValue ?? max) };
}

/** The scopes of the rule and, by default, of its conditions. */
export function scopesOf(fields: RuleFields, { houses, farmId }: Farm) {
  const rule: Scope = scopeOf(fields.scope, houses, farmId) ?? { type: 'farm', farmId };
  const first = fields.starts === 'condition' ? aloneIn(fields.trigger) : undefined;
  const trigger = scopeOf(first?.scope ?? '', houses, farmId) ?? rule;
  return { rule, trigger, stop: aloneIn(fields.stop_condition) ? trigger : rule };
}

/** Where a condition looks: where it says, else where its rule or the trigger does. */
export function placeOf(
  of: 'trigger' | 'guard' | 'stop',
  leaf: LeafFields | undefined,
  fields: RuleFields,
  farm: Farm,
): Scope {
  const scopes = scopesOf(fields, farm);
  return scopeOf(leaf?.scope ?? '', farm.houses, farm.farmId) ?? (of === 'stop' ? scopes.stop : scopes.rule);
}

/** What a form has to know of its farm to say a document. */
export interface Farm {
  devices: readonly Device[];
  rules?: readonly { id: string; name: string }[] | undefined;
  setpoints?: readonly { id: string; name: string; sensor_type: SensorTypeName }[] | undefined;
  houses: PlaceNames;
  farmId: string;
}

/** A trigger or stop condition as the document has it: a condition alone as one of version 1. */
export function partOf(group: GroupFields, farm: Farm): NonNullable<Rule['stop_condition']> {
  const alone = aloneIn(group);
  if (!alone) return treeOf(group, farm);
  const { sensor_type, operator, value, value_max } = alone;
  const scope = scopeOf(alone.scope, farm.houses, farm.farmId);
  return {
    sensor_type,
    operator,
    value: numberIn(value),
    ...(operator === 'between' && { value_max: numberIn(value_max) }),
    duration_sec: secondsIn(group.duration_sec),
    ...(scope && { scope }),
  };
}

/** How a rule starts, as the document has it. */
export function triggerOf({ starts, trigger, schedule }: RuleFields, farm: Farm): NewRule['trigger'] {
  return starts === 'condition' ? partOf(trigger, farm) : { schedule: scheduleFrom(schedule, starts, farm) };
}

/** Seconds that need not be said: nothing where there are none. */
export const said = (span: Span) => {
  const seconds = secondsIn(span);
  return seconds === 0 ? null : seconds;
};

/** The document that the server stores. Fields with problems are left to it: it names them all. */
export function documentOf(fields: RuleFields, deployed: boolean, farm: Farm): NewRule {
  const { name, description, mode, priority, actions, stops, stop_condition } = fields;
  const run_sec = said(fields.run_sec);
  return {
    name: name.trim(),
    description: description.trim(),
    mode,
    priority: numberIn(priority),
    scope: scopesOf(fields, farm).rule,
    trigger: triggerOf(fields, farm),
    actions: actions.map(({ device_id, command: { action, value }, delay_sec, curve, ...lasts }) => {
      const device_name = farm.devices.find(({ id }) => id === device_id)?.name;
      const [for_sec, linger_sec] = [said(lasts.for_sec), said(lasts.linger_sec)];
      return {
        device_id,
        ...(device_name && { device_name }),
        command:
          action !== '' && hasValue(action)
            ? { action, value: numberIn(value) }
            : { action: action || 'off' },
        ...(curve && follows(action) && { curve: curveOf(curve, farm) }),
        delay_sec: secondsIn(delay_sec),
        // A pulse has its own seconds.
        ...(for_sec !== null && action !== 'pulse' && { for_sec }),
        ...(linger_sec !== null && action !== 'pulse' && { linger_sec }),
      };
    }),
    ...(stops && { stop_condition: partOf(stop_condition, farm) }),
    on_signal_lost: fields.on_signal_lost,
    ...(run_sec !== null && { run_sec }),
    deployed,
  };
}

/** What is to be put where once another quantity is chosen: a value of the old one would mean something else. */
export function withSensor(
  { trigger, stops, stop_condition: stop }: RuleFields,
  at: string,
  before: SensorTypeName,
  type: SensorTypeName,
): [string, string][] {
  if (type === before) return [];
  // "Until it is below": it stays the same quantity.
  const follows =
    at === 'trigger.of.0' && !stops && aloneIn(trigger) && aloneIn(stop)?.sensor_type === before;
  return [at, ...(follows ? ['stop_condition.of.0'] : [])].flatMap((leaf): [string, string][] => [
    [`${leaf}.sensor_type`, type],
    [`${leaf}.value`, ''],
    [`${leaf}.value_max`, ''],
    [`${leaf}.setpoint`, ''],
    [`${leaf}.offset`, '0'],
  ]);
}

/** How long the trigger has to be false before a rule without a stop condition ends. */
export function clearSec({ trigger }: RuleFields): number {
  const held = secondsIn(trigger.duration_sec);
  return Number.isNaN(held) ? MAX_CLEAR_SEC : Math.min(held, MAX_CLEAR_SEC);
}

export type RuleForm = UseFormReturnType<RuleFields>;

/** Whether nothing was said yet of what matters: usual jobs are offered. */
export function isUntouched({ starts, trigger, actions }: RuleFields): boolean {
  const [leaf, more] = trigger.of;
  return (
    starts === 'condition' &&
    !more &&
    leaf?.kind === 'signal' &&
    isBlank(leaf) &&
    actions.every(({ device_id }) => device_id === '')
  );
}
