// The things of a farm in words: quantities, operators, devices, places, and what the sentence of a rule is made of
// (`rule-words.ts`). Each language orders its sentence itself: whole patterns with holes, never fragments in a row.
import type { ParseKeys, TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { type Format, useFormat } from './format';
import { sensorTable } from './sensor-types';

export type SensorTypeName = (typeof sensorTable)[number]['type'];
export const sensorTypes: readonly SensorTypeName[] = sensorTable.map(({ type }) => type);

/** In the order in which a form offers them. */
export const operators = ['gt', 'gte', 'lt', 'lte', 'eq', 'between'] as const;
export type OperatorName = (typeof operators)[number];

export type DeviceTypeName =
  | 'fan'
  | 'vent'
  | 'pump'
  | 'valve'
  | 'dosing_pump'
  | 'fogger'
  | 'heater'
  | 'light'
  | 'shade'
  | 'curtain'
  | 'mixing_pump'
  | 'siren'
  | 'sensor';
export type ActionWord = 'on' | 'off' | 'set_speed' | 'set_position' | 'set_flow_rate' | 'pulse' | 'release';
export type PlaceKind = 'farm' | 'polyhouse' | 'zone';
export type DisplayStatus = 'offline' | 'locked' | 'manual' | 'safety' | 'auto';

/** The unit of a quantity, empty where it has none, and the range that rules and alerts may compare it with. */
export interface SensorSpec {
  alertName: string;
  unit: string;
  min: number;
  max: number;
}

/** As the engine's own table has it. */
export const sensorSpecs = Object.fromEntries(sensorTable.map(({ type, ...spec }) => [type, spec])) as Record<
  SensorTypeName,
  SensorSpec
>;

/** Units that are words; the others are signs, the same in every language. */
const unitWords: Record<string, ParseKeys> = { lux: 'domain.unitSign.lux', ppm: 'domain.unitSign.ppm' };

/** The step of values in forms. */
export const VALUE_STEP = 0.1;

/** What an action's value is: nothing (on, off), per cent, ml/s or seconds, and its limits where the device says none. */
export interface ActionSpec {
  unit: 'percent' | 'flow' | 'second' | null;
  min: number;
  max: number;
}

export const actionSpecs: Record<ActionWord, ActionSpec> = {
  on: { unit: null, min: 0, max: 0 },
  off: { unit: null, min: 0, max: 0 },
  set_speed: { unit: 'percent', min: 0, max: 100 },
  set_position: { unit: 'percent', min: 0, max: 100 },
  set_flow_rate: { unit: 'flow', min: 0.1, max: 10 },
  pulse: { unit: 'second', min: 1, max: 60 },
  release: { unit: null, min: 0, max: 0 },
};

/** A place as documents say it; names in it are labels from when it was written. */
export interface Place {
  type: PlaceKind;
  polyhouseId?: string | null;
  zoneId?: string | null;
  name?: string | null;
  path?: string | null;
}

/** The polyhouses of the farm with their zones, for the names that places have now. */
export type PlaceNames = readonly {
  id: string;
  name: string;
  zones: readonly { id: string; name: string }[];
}[];

export interface ConditionWords {
  sensor_type: SensorTypeName;
  operator: OperatorName;
  value: number;
  value_max?: number | null;
  duration_sec: number;
}

export interface ActionWords {
  /** The device's name for people. */
  device: string;
  action: ActionWord;
  value?: number | null;
  delay_sec: number;
  /** For how long, in seconds; without it until the rule stops. */
  for_sec?: number | null;
  /** How much longer than its rule, in seconds. */
  linger_sec?: number | null;
  /** How its value follows a signal. */
  curve?: CurveWords | null;
}

export interface CurveWords {
  sensor_type: SensorTypeName;
  /** What the signal is less of, by its id. */
  setpoint?: string | null;
  /** Where, if not where its rule is. */
  scope?: Place | null;
  /** The signal, and the action's value there. */
  points: readonly (readonly number[])[];
}

/** A time of day, `HH:MM`, or so many minutes after the sun rises or sets. */
export type MomentWords = string | { sun: 'sunrise' | 'sunset'; offset_min: number };
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type WeekdayName = (typeof weekdays)[number];
/** Month and day, `MM-DD`. */
interface DatesWords {
  from: string;
  to: string;
}

/** A node of a tree of conditions, as documents say it. */
export interface NodeWords {
  sensor_type?: SensorTypeName | null;
  operator?: OperatorName | null;
  value?: number | null;
  value_max?: number | null;
  /** A setpoint by its id, in place of a value, and how much is added to it. */
  setpoint?: string | null;
  offset?: number | null;
  scope?: Place | null;
  all?: readonly NodeWords[] | null;
  any?: readonly NodeWords[] | null;
  not?: NodeWords | null;
  time?: { from: MomentWords; to: MomentWords } | null;
  days?: readonly WeekdayName[] | null;
  dates?: DatesWords | null;
  rule?: string | null;
  device?: string | null;
  is?: 'on' | 'off' | null;
  hold_sec?: number | null;
}

/** When a rule starts by the clock, as documents say it. */
export interface ScheduleWords {
  at?: readonly MomentWords[] | null;
  every?: { minutes: number; from: string; to: string } | null;
  days?: readonly WeekdayName[] | null;
  dates?: DatesWords | null;
  guard?: NodeWords | null;
  if_unknown?: 'run' | 'skip' | null;
  catch_up_sec: number;
}

export type PlacedCondition = ConditionWords & { place: Place };
/** A tree with its hold; its conditions look at the place where they name none. */
export interface PlacedTree {
  tree: NodeWords;
  duration_sec: number;
  place: Place;
}
export interface PlacedSchedule {
  schedule: ScheduleWords;
  place: Place;
}

/** What rules, devices and setpoints are called that others name by their ids. */
export interface ThingNames {
  setpoint: (id: string) => string;
  rule: (id: string) => string;
  device: (id: string) => string;
}

export interface RuleWords<Start = PlacedCondition | PlacedTree | PlacedSchedule> {
  trigger: Start;
  actions: readonly ActionWords[];
  stop?: PlacedCondition | PlacedTree | null;
  /** How long it runs at most, in seconds. */
  run_sec?: number | null;
  names?: ThingNames;
}

/** Spec 4: offline if not online; else locked if a lock is set; else manual; else safety; else auto. */
export function displayStatus(device: {
  online: boolean;
  state: { lock?: string | null; mode: 'auto' | 'manual' | 'safety' };
}): DisplayStatus {
  if (!device.online) return 'offline';
  if (device.state.lock) return 'locked';
  return device.state.mode;
}

/** Whether two places are the same one, whatever they are called. */
export function samePlace(a: Place, b: Place): boolean {
  if (a.type !== b.type) return false;
  if (a.type === 'zone') return a.zoneId === b.zoneId;
  return a.type === 'farm' || a.polyhouseId === b.polyhouseId;
}

/** The names of quantities. */
export const quantityNames = Object.fromEntries(
  sensorTypes.map((type) => [type, `domain.quantity.${type}`]),
) as Record<SensorTypeName, ParseKeys>;

const statusNames: Record<DisplayStatus, ParseKeys> = {
  offline: 'domain.displayStatus.offline',
  locked: 'domain.displayStatus.locked',
  manual: 'domain.displayStatus.manual',
  safety: 'domain.displayStatus.safety',
  auto: 'domain.displayStatus.auto',
};

const actionUnits = {
  percent: 'domain.unitSign.percent',
  flow: 'domain.unitSign.flow',
  second: 'domain.unitSign.second',
} as const;

/** In place of a value that is not known yet. */
export const OPEN = '…';

/** Where a word stands in the sentence of a rule: in its trigger, guard or stop condition, in what it says of the clock and of
 * its run, or in the action of that place in the list. */
export interface Slot {
  of: 'trigger' | 'guard' | 'stop' | 'clock' | number;
  /** Which of the conditions, or of the times of day. */
  nth?: number;
  name:
    | 'sensor'
    | 'place'
    | 'compared'
    | 'value'
    | 'max'
    | 'duration'
    | 'hold'
    | 'from'
    | 'to'
    | 'days'
    | 'dates'
    | 'rule'
    | 'is'
    | 'moment'
    | 'minutes'
    | 'unknown'
    | 'late'
    | 'run'
    | 'do'
    | 'device'
    | 'amount'
    | 'curve'
    | 'delay'
    | 'lasts'
    | 'linger'
    | 'stops';
  text: string;
}

/** A sentence in pieces: plain words, and those that may be chosen. */
export type Phrase = readonly (string | Slot)[];

const MINUTE = 60;
const HOUR = 3_600;

/** The words in a language. Use `useDomain` in components. */
export function domainWords(t: TFunction, format: Format) {
  const quantity = (type: SensorTypeName) => t(quantityNames[type]);

  /** "°C", or nothing for pH. */
  const unit = (type: SensorTypeName) => {
    const sign = sensorSpecs[type].unit;
    const word = unitWords[sign];
    return word ? t(word) : sign;
  };

  // A form shows its sentence while it is being filled in: what is not there yet is left open.
  const figure = (value: number) => (Number.isFinite(value) ? format.reading(value) : OPEN);

  /** "35 °C", "60%". */
  const amount = (type: SensorTypeName, value: number) =>
    t(`domain.amount.${type}`, { value: figure(value) });

  /** The same where it is looked at in passing: tenths of a degree or a per cent are enough. */
  const glance = (type: SensorTypeName, value: number) =>
    type === 'ph' || type === 'ec'
      ? amount(type, value)
      : t(`domain.amount.${type}`, { value: format.tenth(value) });

  /** "Day temperature", "Day temperature + 2 °C". */
  const target = (type: SensorTypeName, name: string, offset: number) => {
    if (offset === 0) return name;
    const by = amount(type, Math.abs(offset));
    return offset < 0 ? t('domain.target.less', { name, by }) : t('domain.target.plus', { name, by });
  };

  /** "is above", and the sign ">". */
  const operator = (name: OperatorName) => t(`domain.operator.${name}`);
  const operatorSign = (name: OperatorName) => t(`domain.operatorSign.${name}`);

  /** "5 min", "1 h 30 min", "45 s". */
  const duration = (seconds: number) => {
    if (!Number.isFinite(seconds)) return OPEN;
    const parts = [
      { key: 'domain.duration.hour', count: Math.floor(seconds / HOUR) },
      { key: 'domain.duration.minute', count: Math.floor((seconds % HOUR) / MINUTE) },
      { key: 'domain.duration.second', count: seconds % MINUTE },
    ] as const;
    const shown = parts.filter(({ count }) => count > 0);
    return (shown.length > 0 ? shown : [parts[2]])
      .map(({ key, count }) => t(key, { count, value: format.reading(count) }))
      .join(' ');
  };

  /** "3:40 of 5:00". */
  const progress = (elapsed: number, total: number) =>
    t('domain.duration.progress', { elapsed: format.stopwatch(elapsed), total: format.stopwatch(total) });

  const device = (type: DeviceTypeName) => t(`domain.device.${type}`);
  const action = (name: ActionWord) => t(`domain.action.${name}`);
  /** "%", "ml/s", "s", or nothing where the action has no value. */
  const actionUnit = (name: ActionWord) => {
    const { unit: of } = actionSpecs[name];
    return of ? t(actionUnits[of]) : '';
  };
  /** "80%", "2 ml/s", "30 s"; nothing for on and off. */
  const actionAmount = (name: ActionWord, value: number | null | undefined) => {
    const { unit: of } = actionSpecs[name];
    if (of === null || value === null || value === undefined) return '';
    if (of === 'second') return duration(value);
    if (of === 'flow') return t('domain.flow', { value: figure(value) });
    return Number.isFinite(value) ? format.percent(value) : OPEN;
  };

  const status = (of: DisplayStatus) => t(statusNames[of]);
  const placeKind = (kind: PlaceKind) => t(`domain.place.${kind}`);

  /** The names that lead to a place; those of now where `known` has them, else those it was written with. */
  const placeNames = (place: Place, known: PlaceNames = []): string[] => {
    if (place.type === 'farm') return [placeKind('farm')];
    const house = known.find(
      ({ id, zones }) => id === place.polyhouseId || zones.some((zone) => zone.id === place.zoneId),
    );
    const label = place.name || place.zoneId || place.polyhouseId || placeKind(place.type);
    if (place.type === 'polyhouse') return [house?.name ?? label];
    const zone = house?.zones.find(({ id }) => id === place.zoneId);
    return house ? [house.name, zone?.name ?? label] : [label];
  };

  /** "Polyhouse 1 / Zone A". */
  const placePath = (place: Place, known?: PlaceNames) => placeNames(place, known).join(' / ');

  /** "in Zone A of Polyhouse 1". */
  const placeInText = (place: Place, known?: PlaceNames) => {
    if (place.type === 'farm') return t('domain.placeInText.farm');
    const [first = '', second] = placeNames(place, known);
    if (second !== undefined) return t('domain.placeInText.zoneOf', { name: second, polyhouse: first });
    return t(`domain.placeInText.${place.type}`, { name: first });
  };

  return {
    quantity,
    unit,
    amount,
    target,
    glance,
    operator,
    operatorSign,
    duration,
    progress,
    device,
    action,
    actionUnit,
    actionAmount,
    status,
    placeKind,
    placeNames,
    placePath,
    placeInText,
  };
}

export type DomainWords = ReturnType<typeof domainWords>;

/** The words in the language being shown. */
export function useDomain(): DomainWords {
  const { t } = useTranslation();
  return domainWords(t, useFormat());
}
