// The editor's fields, how a rule becomes them and they become a rule again. Numbers stay text while they are typed.

import type { UseFormReturnType } from '@mantine/form';
import type { components } from '../../api/schema';
import {
  type ActionWords,
  actionSpecs,
  type PlacedCondition,
  type PlaceNames,
  type RuleWords,
  type SensorTypeName,
  sensorSpecs,
} from '../../i18n/domain';
import { choiceOf, type PlaceChoice, type Scope, scopeOf } from '../../screen/condition/places';
import { numberIn, type Span, secondsIn, spanOf } from '../../screen/condition/span';
import {
  type Condition,
  conditionOf,
  startWords,
  stopWords,
  thingNames,
  triggerPlace,
} from '../../screen/trigger';
import { nearest } from '../../ui/wheel';
import { ownChoice } from './places';
import type { Device, NewRule, Rule } from './queries';
import { usualOf } from './usual';

type Schemas = components['schemas'];

export type { Condition };
export type Operator = Schemas['Operator'];
export type ActionName = Schemas['ActionName'];
type OnSignalLost = Schemas['OnSignalLost'];

export type ConditionFields = {
  sensor_type: SensorTypeName;
  operator: Operator;
  value: string;
  /** The upper end, for `between`. */
  value_max: string;
  duration_sec: Span;
  scope: PlaceChoice;
};

export type ActionFields = {
  /** Tells the rows apart while they come and go. */
  key: number;
  device_id: string;
  command: { action: ActionName | ''; value: string };
  delay_sec: Span;
  /** For how long at most, and how much longer than the rule, in seconds: kept as they are. */
  for_sec?: number | null;
  linger_sec?: number | null;
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
  trigger: ConditionFields;
  actions: readonly ActionFields[];
  stops: boolean;
  stop_condition: ConditionFields;
  on_signal_lost: OnSignalLost;
  /** How long a run lasts at most, in seconds: kept as it is. */
  run_sec?: number | null;
};

/** Spec 9. */
export const DEFAULT_PRIORITY = 5;
export const DEFAULT_HOLD_SEC = 300;
/** As many as the server takes. */
export const MAX_ACTIONS = 64;
/** A rule without a stop condition ends when its trigger has been false for as long as it held, at most so long. */
export const MAX_CLEAR_SEC = 60;

/** One more action. */
export function newAction(actions: readonly ActionFields[]): ActionFields {
  return {
    key: 1 + Math.max(-1, ...actions.map(({ key }) => key)),
    device_id: '',
    command: { action: '', value: '' },
    delay_sec: spanOf(0),
  };
}

/** An empty form; a farm with polyhouses has most of its rules in one. */
export function newFields(houses: PlaceNames): RuleFields {
  const trigger: ConditionFields = {
    sensor_type: 'temperature',
    operator: 'gt',
    value: '',
    value_max: '',
    duration_sec: spanOf(DEFAULT_HOLD_SEC),
    scope: '',
  };
  const [first] = houses;
  return {
    name: '',
    named: false,
    description: '',
    mode: 'auto',
    priority: String(DEFAULT_PRIORITY),
    scope: first ? `polyhouse:${first.id}` : 'farm',
    trigger,
    actions: [newAction([])],
    stops: false,
    stop_condition: stopLike(trigger),
    on_signal_lost: 'stop',
  };
}

/** Whether the editor's fields can say all of a rule: conditions they can, trees and the clock not. */
export function isEditable({ trigger, stop_condition: stop }: Rule): boolean {
  return conditionOf(trigger) !== undefined && (!stop || conditionOf(stop) !== undefined);
}

/** The fields of a rule; undefined where they cannot say all of it. */
export function fieldsOf(rule: Rule): RuleFields | undefined {
  const { name, description, mode, scope, on_signal_lost, run_sec } = rule;
  const start = conditionOf(rule.trigger);
  const stop = conditionOf(rule.stop_condition);
  if (!start || !isEditable(rule)) return undefined;
  const trigger = conditionFields(start, scope);
  return {
    name,
    named: true,
    description,
    mode,
    priority: String(rule.priority),
    scope: choiceOf(scope),
    trigger,
    actions: rule.actions.map(
      ({ device_id, command: { action, value }, delay_sec, for_sec, linger_sec }, key) => ({
        key,
        device_id,
        command: { action, value: hasValue(action) && typeof value === 'number' ? String(value) : '' },
        delay_sec: spanOf(delay_sec),
        ...(for_sec && { for_sec }),
        ...(linger_sec && { linger_sec }),
      }),
    ),
    stops: Boolean(stop),
    stop_condition: stop ? conditionFields(stop, triggerPlace(rule)) : stopLike(trigger),
    on_signal_lost,
    ...(run_sec && { run_sec }),
  };
}

function conditionFields(condition: Condition, inherited: Scope): ConditionFields {
  const { sensor_type, operator, value, value_max, duration_sec, scope } = condition;
  return {
    sensor_type,
    operator,
    value: String(value),
    value_max: typeof value_max === 'number' ? String(value_max) : '',
    duration_sec: spanOf(duration_sec),
    scope: ownChoice(scope, inherited),
  };
}

/** What most stop conditions are: the same quantity, the other way, the usual distance from where it starts. */
export function stopLike(trigger: ConditionFields): ConditionFields {
  const below = ['gt', 'gte', 'eq'].includes(trigger.operator);
  const from = ['eq', 'between'].includes(trigger.operator) ? Number.NaN : numberIn(trigger.value);
  const { min, max } = sensorSpecs[trigger.sensor_type];
  const { gap, step } = usualOf(trigger.sensor_type);
  const value = nearest(below ? from - gap : from + gap, { min, max, step });
  return {
    ...trigger,
    operator: below ? 'lt' : 'gt',
    value: Number.isNaN(value) ? '' : String(value),
    value_max: '',
    duration_sec: spanOf(DEFAULT_HOLD_SEC),
    scope: '',
  };
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

/** The scopes of the rule, its trigger and its stop condition, defaults filled in. */
export function scopesOf(fields: RuleFields, { houses, farmId }: Farm) {
  const rule: Scope = scopeOf(fields.scope, houses, farmId) ?? { type: 'farm', farmId };
  const trigger = scopeOf(fields.trigger.scope, houses, farmId) ?? rule;
  const stop = scopeOf(fields.stop_condition.scope, houses, farmId) ?? trigger;
  return { rule, trigger, stop };
}

/** What a form has to know of its farm to say a document. */
interface Farm {
  devices: readonly Device[];
  houses: PlaceNames;
  farmId: string;
}

/** The document that the server stores. Fields with problems are left to it: it names them all. */
export function documentOf(fields: RuleFields, deployed: boolean, farm: Farm): NewRule {
  const { name, description, mode, priority, trigger, actions, stops, stop_condition } = fields;
  return {
    name: name.trim(),
    description: description.trim(),
    mode,
    priority: numberIn(priority),
    scope: scopesOf(fields, farm).rule,
    trigger: conditionFrom(trigger, farm),
    actions: actions.map(({ device_id, command: { action, value }, delay_sec, for_sec, linger_sec }) => {
      const device_name = farm.devices.find(({ id }) => id === device_id)?.name;
      return {
        device_id,
        ...(device_name && { device_name }),
        command:
          action !== '' && hasValue(action)
            ? { action, value: numberIn(value) }
            : { action: action || 'off' },
        delay_sec: secondsIn(delay_sec),
        ...(for_sec && { for_sec }),
        ...(linger_sec && { linger_sec }),
      };
    }),
    ...(stops && { stop_condition: conditionFrom(stop_condition, farm) }),
    on_signal_lost: fields.on_signal_lost,
    ...(fields.run_sec && { run_sec: fields.run_sec }),
    deployed,
  };
}

function conditionFrom(fields: ConditionFields, { houses, farmId }: Farm): Condition {
  const { sensor_type, operator, value, value_max, duration_sec } = fields;
  const scope = scopeOf(fields.scope, houses, farmId);
  return {
    sensor_type,
    operator,
    value: numberIn(value),
    ...(operator === 'between' && { value_max: numberIn(value_max) }),
    duration_sec: secondsIn(duration_sec),
    ...(scope && { scope }),
  };
}

/** What the form says so far, for its sentence; what is missing is NaN or empty. */
export function wordsOf(fields: RuleFields, farm: Farm): RuleWords<PlacedCondition> {
  const scopes = scopesOf(fields, farm);
  const { trigger, actions, stops, stop_condition } = fields;
  return {
    trigger: { ...conditionFrom(trigger, farm), place: scopes.trigger },
    actions: actions.map(
      ({ device_id, command: { action, value }, delay_sec, for_sec, linger_sec }): ActionWords => ({
        device: farm.devices.find(({ id }) => id === device_id)?.name ?? device_id,
        // Before an action is chosen the device is what is known.
        action: action || 'on',
        value: numberIn(value),
        delay_sec: secondsIn(delay_sec),
        for_sec: for_sec ?? null,
        linger_sec: linger_sec ?? null,
      }),
    ),
    stop: stops ? { ...conditionFrom(stop_condition, farm), place: scopes.stop } : null,
    run_sec: fields.run_sec ?? null,
  };
}

/** The same of a stored rule, with the names that devices and other rules have now. */
export function wordsOfRule(
  rule: Rule,
  devices: readonly Device[],
  rules?: readonly { id: string; name: string }[],
): RuleWords {
  return {
    trigger: startWords(rule),
    actions: rule.actions.map((action) => ({
      device: deviceName(action, devices),
      action: action.command.action,
      value: action.command.value ?? null,
      delay_sec: action.delay_sec,
      for_sec: action.for_sec ?? null,
      linger_sec: action.linger_sec ?? null,
    })),
    stop: stopWords(rule) ?? null,
    run_sec: rule.run_sec ?? null,
    names: thingNames(rules, devices),
  };
}

/** What is to be put where once another quantity is chosen: a value of the old one would mean something else. */
export function withSensor(
  { trigger, stop_condition: stop }: RuleFields,
  stops: boolean,
  type: SensorTypeName,
): [string, string][] {
  const changed = [
    ...(stops ? [] : ['trigger']),
    // "Until it is below": it stays the same quantity.
    ...(stops || stop.sensor_type === trigger.sensor_type ? ['stop_condition'] : []),
  ];
  if (type === (stops ? stop : trigger).sensor_type) return [];
  return changed.flatMap((at): [string, string][] => [
    [`${at}.sensor_type`, type],
    [`${at}.value`, ''],
    [`${at}.value_max`, ''],
  ]);
}

/** How long the trigger has to be false before a rule without a stop condition ends. */
export function clearSec({ trigger }: RuleFields): number {
  const held = secondsIn(trigger.duration_sec);
  return Number.isNaN(held) ? MAX_CLEAR_SEC : Math.min(held, MAX_CLEAR_SEC);
}

export type RuleForm = UseFormReturnType<RuleFields>;

/** Whether nothing was said yet of what matters: usual jobs are offered. */
export function isUntouched({ trigger, actions }: RuleFields): boolean {
  return trigger.value === '' && actions.every(({ device_id }) => device_id === '');
}

/** The device's name now, else the one it had when the rule was written. */
export function deviceName(action: Schemas['RuleAction'], devices: readonly Device[]): string {
  return devices.find(({ id }) => id === action.device_id)?.name ?? action.device_name ?? action.device_id;
}
