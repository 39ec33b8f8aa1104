// The editor's fields, how a rule becomes them and they become a rule again. Numbers stay text while they are typed.

import type { components } from '../../api/schema';
import {
  type ActionWords,
  actionSpecs,
  type PlaceNames,
  type RuleWords,
  type SensorTypeName,
} from '../../i18n/domain';
import { choiceOf, ownChoice, type PlaceChoice, type Scope, scopeOf } from './places';
import type { Device, NewRule, Rule } from './queries';

type Schemas = components['schemas'];
export type Condition = Schemas['Condition'];
export type Operator = Schemas['Operator'];
export type ActionName = Schemas['ActionName'];
type OnSignalLost = Schemas['OnSignalLost'];

/** A length of time as it is typed. */
export interface DurationFields {
  minutes: string;
  seconds: string;
}

export interface ConditionFields {
  sensorType: SensorTypeName;
  operator: Operator;
  value: string;
  /** The upper end, for `between`. */
  valueMax: string;
  duration: DurationFields;
  place: PlaceChoice;
}

export interface ActionFields {
  /** Tells the rows apart while they come and go. */
  key: number;
  deviceId: string;
  action: ActionName | '';
  value: string;
  delay: DurationFields;
}

export interface RuleFields {
  name: string;
  description: string;
  mode: Rule['mode'];
  priority: string;
  place: PlaceChoice;
  trigger: ConditionFields;
  actions: readonly ActionFields[];
  stops: boolean;
  stop: ConditionFields;
  onSignalLost: OnSignalLost;
}

/** Spec 9. */
export const DEFAULT_PRIORITY = 5;
export const DEFAULT_HOLD_SEC = 300;
/** As many as the server takes. */
export const MAX_ACTIONS = 64;
/** A rule without a stop condition ends when its trigger has been false for as long as it held, at most so long. */
export const MAX_CLEAR_SEC = 60;

const MINUTE = 60;

export function durationFields(seconds: number): DurationFields {
  return { minutes: String(Math.floor(seconds / MINUTE)), seconds: String(seconds % MINUTE) };
}

/** A typed number; NaN where there is none. */
export function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** Seconds of a typed duration; an empty box counts as none of its unit, two empty ones as nothing typed. */
export function secondsIn({ minutes, seconds }: DurationFields): number {
  if (minutes.trim() === '' && seconds.trim() === '') return Number.NaN;
  return Number(minutes) * MINUTE + Number(seconds);
}

let lastKey = 0;

export function newAction(): ActionFields {
  lastKey += 1;
  return { key: lastKey, deviceId: '', action: '', value: '', delay: durationFields(0) };
}

/** An empty form; a farm with polyhouses has most of its rules in one. */
export function newFields(houses: PlaceNames): RuleFields {
  const condition: ConditionFields = {
    sensorType: 'temperature',
    operator: 'gt',
    value: '',
    valueMax: '',
    duration: durationFields(DEFAULT_HOLD_SEC),
    place: '',
  };
  const [first] = houses;
  return {
    name: '',
    description: '',
    mode: 'auto',
    priority: String(DEFAULT_PRIORITY),
    place: first ? `polyhouse:${first.id}` : 'farm',
    trigger: condition,
    actions: [newAction()],
    stops: false,
    stop: { ...condition, operator: 'lt' },
    onSignalLost: 'stop',
  };
}

export function fieldsOf(rule: Rule): RuleFields {
  const { trigger, stop_condition: stop } = rule;
  const triggerScope = trigger.scope ?? rule.scope;
  const triggerFields = conditionFields(trigger, rule.scope);
  return {
    name: rule.name,
    description: rule.description,
    mode: rule.mode,
    priority: String(rule.priority),
    place: choiceOf(rule.scope),
    trigger: triggerFields,
    actions: rule.actions.map(({ device_id, command, delay_sec }) => ({
      ...newAction(),
      deviceId: device_id,
      action: command.action,
      value: hasValue(command.action) && typeof command.value === 'number' ? String(command.value) : '',
      delay: durationFields(delay_sec),
    })),
    stops: Boolean(stop),
    stop: stop ? conditionFields(stop, triggerScope) : stopLike(triggerFields),
    onSignalLost: rule.on_signal_lost,
  };
}

function conditionFields(condition: Condition, inherited: Scope): ConditionFields {
  return {
    sensorType: condition.sensor_type,
    operator: condition.operator,
    value: String(condition.value),
    valueMax: typeof condition.value_max === 'number' ? String(condition.value_max) : '',
    duration: durationFields(condition.duration_sec),
    place: ownChoice(condition.scope, inherited),
  };
}

/** What most stop conditions are: the same quantity, the other way. */
export function stopLike(trigger: ConditionFields): ConditionFields {
  const below = trigger.operator === 'gt' || trigger.operator === 'gte' || trigger.operator === 'eq';
  return {
    sensorType: trigger.sensorType,
    operator: below ? 'lt' : 'gt',
    value: '',
    valueMax: '',
    duration: durationFields(DEFAULT_HOLD_SEC),
    place: '',
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
export function scopesOf(fields: RuleFields, houses: PlaceNames, farmId: string) {
  const rule: Scope = scopeOf(fields.place, houses, farmId) ?? { type: 'farm', farmId };
  const trigger = scopeOf(fields.trigger.place, houses, farmId) ?? rule;
  const stop = scopeOf(fields.stop.place, houses, farmId) ?? trigger;
  return { rule, trigger, stop };
}

/** The document that the server stores. Fields with problems are left to it: it names them all. */
export function documentOf(
  fields: RuleFields,
  deployed: boolean,
  { devices, houses, farmId }: { devices: readonly Device[]; houses: PlaceNames; farmId: string },
): NewRule {
  return {
    name: fields.name.trim(),
    description: fields.description.trim(),
    mode: fields.mode,
    priority: numberIn(fields.priority),
    scope: scopesOf(fields, houses, farmId).rule,
    trigger: conditionOf(fields.trigger, scopeOf(fields.trigger.place, houses, farmId)),
    actions: fields.actions.map(({ deviceId, action, value, delay }) => {
      const name = devices.find(({ id }) => id === deviceId)?.name;
      return {
        device_id: deviceId,
        ...(name && { device_name: name }),
        command: action !== '' && hasValue(action) ? { action, value: numberIn(value) } : onOrOff(action),
        delay_sec: secondsIn(delay),
      };
    }),
    ...(fields.stops && {
      stop_condition: conditionOf(fields.stop, scopeOf(fields.stop.place, houses, farmId)),
    }),
    on_signal_lost: fields.onSignalLost,
    deployed,
  };
}

function onOrOff(action: ActionName | ''): Schemas['Order'] {
  return { action: action === '' ? 'off' : action };
}

function conditionOf(fields: ConditionFields, scope: Scope | undefined): Condition {
  return {
    sensor_type: fields.sensorType,
    operator: fields.operator,
    value: numberIn(fields.value),
    ...(fields.operator === 'between' && { value_max: numberIn(fields.valueMax) }),
    duration_sec: secondsIn(fields.duration),
    ...(scope && { scope }),
  };
}

/** What the form says so far, for its sentence; what is missing is NaN or empty. */
export function wordsOf(
  fields: RuleFields,
  { devices, houses, farmId }: { devices: readonly Device[]; houses: PlaceNames; farmId: string },
): RuleWords {
  const scopes = scopesOf(fields, houses, farmId);
  const condition = (from: ConditionFields, place: Scope) => ({ ...conditionOf(from, undefined), place });
  return {
    trigger: condition(fields.trigger, scopes.trigger),
    actions: fields.actions.map(
      ({ deviceId, action, value, delay }): ActionWords => ({
        device: devices.find(({ id }) => id === deviceId)?.name ?? deviceId,
        // Before an action is chosen the device is what is known.
        action: action === '' ? 'on' : action,
        value: numberIn(value),
        delay_sec: secondsIn(delay),
      }),
    ),
    stop: fields.stops ? condition(fields.stop, scopes.stop) : null,
  };
}

/** The same of a stored rule, with the devices' names of now. */
export function wordsOfRule(rule: Rule, devices: readonly Device[]): RuleWords {
  const triggerPlace = rule.trigger.scope ?? rule.scope;
  const stop = rule.stop_condition;
  return {
    trigger: { ...rule.trigger, place: triggerPlace },
    actions: rule.actions.map((action) => ({
      device: deviceName(action, devices),
      action: action.command.action,
      value: action.command.value ?? null,
      delay_sec: action.delay_sec,
    })),
    stop: stop ? { ...stop, place: stop.scope ?? triggerPlace } : null,
  };
}

/** The device's name now, else the one it had when the rule was written. */
export function deviceName(action: Schemas['RuleAction'], devices: readonly Device[]): string {
  return devices.find(({ id }) => id === action.device_id)?.name ?? action.device_name ?? action.device_id;
}
