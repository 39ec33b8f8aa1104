// What a ready program asks of a person before it writes the rule: devices, numbers, times; and what is wrong with the answers.
import type { SensorTypeName } from '../../i18n/domain';
import { type Problem, valueProblems } from '../../screen/condition/problems';
import { numberIn } from '../../screen/condition/span';
import { follows } from './curve';
import { type ActionName, actionsOf, type RuleFields } from './form';
import { clockAt, type MomentFields } from './leaves';
import { momentProblems } from './problems';
import type { Device } from './queries';
import { isCalled } from './recipes';

export type DeviceRole =
  | 'valves'
  | 'pump'
  | 'foggers'
  | 'misters'
  | 'vents'
  | 'heaters'
  | 'shades'
  | 'guards';
type CountName = 'each' | 'every' | 'seconds';
type ValueName = 'limit' | 'wind' | 'rain' | 'opens' | 'full';
export type NumberName = CountName | ValueName;
export type TimeName = 'start' | 'from' | 'to';

export type Ask =
  | {
      kind: 'devices';
      name: DeviceRole;
      types: readonly Device['type'][];
      /** What such devices are called: those stand first, and with `must` only those are offered. */
      called?: RegExp;
      must?: boolean;
      /** What such devices are not called. */
      not?: RegExp;
      /** Whether they can be told how far. */
      far?: boolean;
      many: boolean;
      /** Whether they run one after another, in the order in which they are chosen. */
      inTurn?: boolean;
      optional?: boolean;
    }
  | { kind: 'number'; name: CountName; unit: 'minutes' | 'seconds'; start: number; min: number; max: number }
  | {
      kind: 'value';
      name: ValueName;
      sensor: SensorTypeName;
      compared: 'above' | 'below' | 'starts' | 'opened';
      start: number;
      /** It is above that of another name. */
      over?: ValueName;
    }
  | { kind: 'time'; name: TimeName; start: string; sun?: boolean }
  /** What is done while the guard is not known: nobody chooses that for the person. */
  | { kind: 'unknown' };

export type Answers = {
  /** In the order in which they were chosen. */
  devices: { [role in DeviceRole]?: readonly string[] };
  numbers: { [name in NumberName]?: string };
  times: { [name in TimeName]?: MomentFields };
  unknown: RuleFields['schedule']['if_unknown'];
};

export const noAnswers: Answers = { devices: {}, numbers: {}, times: {}, unknown: '' };

/** What the form of a program holds at first. Where only one device can be meant, it is chosen. */
export function firstAnswers(asks: readonly Ask[], offered: (ask: Ask) => readonly Device[]): Answers {
  const answers: Answers = { devices: {}, numbers: {}, times: {}, unknown: '' };
  for (const ask of asks) {
    if (ask.kind === 'devices') {
      const [only, more] = offered(ask);
      answers.devices[ask.name] = only && !more && !ask.optional ? [only.id] : [];
    } else if (ask.kind === 'number' || ask.kind === 'value') answers.numbers[ask.name] = String(ask.start);
    else if (ask.kind === 'time') answers.times[ask.name] = clockAt(ask.start);
  }
  return answers;
}

/** The devices that a program may ask for, of those that its place has. */
export function offeredTo(ask: Ask, devices: readonly Device[]): Device[] {
  if (ask.kind !== 'devices') return [];
  const { types, called, must, not, far } = ask;
  const able = devices.filter(
    (device) =>
      types.includes(device.type) &&
      !device.gone &&
      !not?.test(device.name) &&
      (far ? actionsOf(device).some(follows) : opens(device) !== undefined),
  );
  if (!called) return able;
  const named = able.filter((device) => isCalled(device, called));
  return must ? named : [...named, ...able.filter((device) => !named.includes(device))];
}

/** What switches a device on: as far as it goes. */
export function opens(device: Device | undefined): { action: ActionName; value: string } | undefined {
  const ways: { action: ActionName; value: string }[] = [
    { action: 'on', value: '' },
    { action: 'set_position', value: '100' },
    { action: 'set_speed', value: '100' },
  ];
  return ways.find(({ action }) => actionsOf(device).includes(action));
}

/** In the order of the asks. The longest a device runs at a time is its own limit, which the rule cannot pass. */
export function answerProblems(
  asks: readonly Ask[],
  answers: Answers,
  devices: readonly Device[],
): Problem[] {
  return asks.flatMap((ask): Problem[] => {
    if (ask.kind === 'unknown') return answers.unknown === '' ? [{ path: 'unknown', code: 'required' }] : [];
    if (ask.kind === 'time')
      return momentProblems(`times.${ask.name}`, answers.times[ask.name] ?? clockAt(''));
    if (ask.kind === 'devices') {
      const chosen = answers.devices[ask.name] ?? [];
      const path = `devices.${ask.name}`;
      if (chosen.length === 0) return ask.optional ? [] : [{ path, code: 'required' }];
      return longProblems(path, ask.name, answers, devices);
    }
    const typed = answers.numbers[ask.name] ?? '';
    const path = `numbers.${ask.name}`;
    if (ask.kind === 'value') {
      const problems = valueProblems(path, typed, ask.sensor);
      const least = ask.over ? numberIn(answers.numbers[ask.over] ?? '') : Number.NaN;
      return problems.length === 0 && numberIn(typed) <= least ? [{ path, code: 'not_above' }] : problems;
    }
    const value = numberIn(typed);
    if (Number.isNaN(value)) return [{ path, code: 'required' }];
    if (!Number.isInteger(value)) return [{ path, code: 'not_whole' }];
    const { min, max } = ask;
    return value < min || value > max ? [{ path, code: 'out_of_range', min, max }] : [];
  });
}

function longProblems(
  path: string,
  role: DeviceRole,
  answers: Answers,
  devices: readonly Device[],
): Problem[] {
  const minutes = numberIn(answers.numbers.each ?? '');
  const turns = role === 'pump' ? (answers.devices.valves?.length ?? 0) : 1;
  const seconds = minutes * 60 * turns;
  const longest = devices
    .filter(({ id }) => answers.devices[role]?.includes(id))
    .map(({ max_on_sec }) => max_on_sec ?? Number.POSITIVE_INFINITY);
  const least = Math.min(...longest);
  return seconds > least ? [{ path, code: 'runs_too_long', max: least }] : [];
}
