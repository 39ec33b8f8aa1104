// What can be seen to be wrong with a rule without asking the server, at paths of the form (`actions[1].command.value`).
import { type Problem, spanProblems, valueProblems } from '../../screen/condition/problems';
import { numberIn, type Span, secondsIn } from '../../screen/condition/span';
import { curveProblems, follows } from './curve';
import {
  actionsOf,
  hasValue,
  MAX_ACTIONS,
  MAX_LINGER_SEC,
  MAX_RUN_SEC,
  type RuleFields,
  valueRange,
} from './form';
import { aloneIn, type GroupFields, type LeafFields, MAX_LEAVES, type MomentFields } from './leaves';
import type { Device } from './queries';
import { MAX_CATCH_UP_SEC, MAX_EVERY_MIN, MAX_MOMENTS, type ScheduleFields, type Starts } from './schedule';

/** Spec 5. */
const PRIORITY = { min: 1, max: 10 };
/** The sun's moments, in minutes. */
const MAX_SUN_MIN = 720;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** In the order of the form. */
export function problemsOf(fields: RuleFields, devices: readonly Device[]): Problem[] {
  const problems: Problem[] = [];
  const add = (path: string, code: string, limits?: { min?: number; max?: number }) =>
    problems.push({ path, code, ...limits });

  if (fields.named && fields.name.trim() === '') add('name', 'required');
  const priority = numberIn(fields.priority);
  if (Number.isNaN(priority)) add('priority', 'required');
  else if (!Number.isInteger(priority)) add('priority', 'not_whole');
  else if (priority < PRIORITY.min || priority > PRIORITY.max) add('priority', 'out_of_range', PRIORITY);

  if (fields.starts === 'condition') problems.push(...groupProblems('trigger', fields.trigger));
  else problems.push(...scheduleProblems(fields.schedule, fields.starts));

  if (fields.actions.length === 0) add('actions', 'required');
  if (fields.actions.length > MAX_ACTIONS) add('actions', 'too_many', { max: MAX_ACTIONS });
  fields.actions.forEach(({ device_id, command: { action, value }, delay_sec, curve, ...lasts }, index) => {
    const at = `actions[${index}]`;
    const device = devices.find(({ id }) => id === device_id);
    if (device_id === '') add(`${at}.device_id`, 'required');
    else if (action === '') add(`${at}.command.action`, 'required');
    else if (device && !actionsOf(device).includes(action)) add(`${at}.command.action`, 'not_supported');
    else if (hasValue(action)) {
      const given = numberIn(value);
      const range = valueRange(action, device);
      if (Number.isNaN(given)) add(`${at}.command.value`, 'required');
      else if (given < range.min || given > range.max) add(`${at}.command.value`, 'out_of_range', range);
      else if (action === 'pulse' && !Number.isInteger(given)) add(`${at}.command.value`, 'not_whole');
    }
    if (curve && follows(action))
      problems.push(...curveProblems(`${at}.curve`, curve, action, valueRange(action, device)));
    problems.push(...spanProblems(`${at}.delay_sec`, delay_sec, 0));
    // A pulse has its own seconds.
    if (action !== 'pulse')
      problems.push(
        ...lengthProblems(`${at}.for_sec`, lasts.for_sec, MAX_RUN_SEC),
        ...lengthProblems(`${at}.linger_sec`, lasts.linger_sec, MAX_LINGER_SEC),
      );
  });

  if (fields.stops) problems.push(...groupProblems('stop_condition', fields.stop_condition));
  if (fields.starts !== 'condition' && secondsIn(fields.run_sec) === 0) add('run_sec', 'required');
  else problems.push(...lengthProblems('run_sec', fields.run_sec, MAX_RUN_SEC));
  return problems;
}

/** Of a length of time that may be zero, in seconds. */
function lengthProblems(path: string, span: Span, max: number): Problem[] {
  const problems = spanProblems(path, span, 0);
  if (problems.length > 0 || secondsIn(span) <= max) return problems;
  return [{ path, code: 'too_long', max }];
}

function timeProblems(path: string, time: string): Problem[] {
  return TIME.test(time) ? [] : [{ path, code: 'required' }];
}

export function momentProblems(path: string, { by, time, side, minutes }: MomentFields): Problem[] {
  if (by === 'clock') return timeProblems(path, time);
  if (side === 'at') return [];
  const offset = numberIn(minutes);
  if (Number.isNaN(offset)) return [{ path, code: 'required' }];
  if (!Number.isInteger(offset)) return [{ path, code: 'not_whole' }];
  return offset < 1 || offset > MAX_SUN_MIN ? [{ path, code: 'out_of_range', min: 1, max: MAX_SUN_MIN }] : [];
}

/** Every month as long as in a leap year. */
const DATE = /^(0[13578]|1[02])-(0[1-9]|[12]\d|3[01])$|^(0[469]|11)-(0[1-9]|[12]\d|30)$|^02-(0[1-9]|[12]\d)$/;

const dateProblems = (path: string, { from, to }: { from: string; to: string }): Problem[] =>
  Object.entries({ from, to }).flatMap(([end, date]) =>
    DATE.test(date) ? [] : [{ path: `${path}.${end}`, code: 'no_such_date' }],
  );

function scheduleProblems(fields: ScheduleFields, starts: Exclude<Starts, 'condition'>): Problem[] {
  const { at, every, dated, dates, guarded, guard, if_unknown, catch_up_sec } = fields;
  const problems: Problem[] = [];
  if (starts === 'at') {
    if (at.length > MAX_MOMENTS) problems.push({ path: 'schedule.at', code: 'too_many', max: MAX_MOMENTS });
    at.forEach((moment, nth) => {
      problems.push(...momentProblems(`schedule.at[${nth}]`, moment));
    });
  } else {
    const path = 'schedule.every.minutes';
    const minutes = secondsIn(every.minutes) / 60;
    if (Number.isNaN(minutes)) problems.push({ path, code: 'required' });
    else if (!Number.isInteger(minutes)) problems.push({ path, code: 'not_whole' });
    else if (minutes < 1 || minutes > MAX_EVERY_MIN)
      problems.push({ path, code: 'out_of_range', min: 1, max: MAX_EVERY_MIN });
    const ends = [
      ...timeProblems('schedule.every.from', every.from),
      ...timeProblems('schedule.every.to', every.to),
    ];
    if (ends.length === 0 && every.to <= every.from)
      ends.push({ path: 'schedule.every.to', code: 'not_later' });
    problems.push(...ends);
  }
  if (dated) problems.push(...dateProblems('schedule.dates', dates));
  if (guarded) {
    problems.push(...groupProblems('schedule.guard', guard));
    if (if_unknown === '') problems.push({ path: 'schedule.if_unknown', code: 'required' });
  }
  return [...problems, ...lengthProblems('schedule.catch_up_sec', catch_up_sec, MAX_CATCH_UP_SEC)];
}

function groupProblems(at: string, group: GroupFields): Problem[] {
  const [only, more] = group.of;
  const guards = at === 'schedule.guard';
  // A condition alone is held as the whole is, but for a guard, which has no hold of its own.
  const holds = more !== undefined || guards;
  const problems = group.of.flatMap((leaf, nth) => [
    ...leafProblems(`${at}.of[${nth}]`, leaf),
    ...(holds ? spanProblems(`${at}.of[${nth}].hold_sec`, leaf.hold_sec, 0) : []),
  ]);
  if (at === 'stop_condition' && aloneIn(group) && only?.operator === 'between')
    problems.push({ path: `${at}.of[0].operator`, code: 'unknown_word' });
  if (group.of.length > MAX_LEAVES) problems.push({ path: at, code: 'too_many', max: MAX_LEAVES });
  return [...problems, ...spanProblems(`${at}.duration_sec`, group.duration_sec, guards ? 0 : 1)];
}

function leafProblems(at: string, leaf: LeafFields): Problem[] {
  switch (leaf.kind) {
    case 'signal':
      return signalProblems(at, leaf);
    case 'time':
      return [...momentProblems(`${at}.from`, leaf.from), ...momentProblems(`${at}.to`, leaf.to)];
    case 'days':
      return leaf.days.length === 0 ? [{ path: `${at}.days`, code: 'required' }] : [];
    case 'dates':
      return dateProblems(`${at}.dates`, leaf.dates);
    case 'rule':
    case 'device':
      return leaf[leaf.kind] === '' ? [{ path: `${at}.${leaf.kind}`, code: 'required' }] : [];
  }
}

/** The comparisons that there are with a setpoint, and the furthest from it. */
export const setpointOperators: readonly LeafFields['operator'][] = ['gt', 'gte', 'lt', 'lte'];
const MAX_OFFSET = 1_000_000;

function targetProblems(at: string, { operator, offset }: LeafFields): Problem[] {
  const path = `${at}.offset`;
  const added = numberIn(offset);
  if (!setpointOperators.includes(operator)) return [{ path: `${at}.operator`, code: 'unknown_word' }];
  if (Number.isNaN(added)) return [{ path, code: 'required' }];
  const limits = { min: -MAX_OFFSET, max: MAX_OFFSET };
  return Math.abs(added) > MAX_OFFSET ? [{ path, code: 'out_of_range', ...limits }] : [];
}

function signalProblems(at: string, leaf: LeafFields): Problem[] {
  const { sensor_type, operator, value, value_max } = leaf;
  if (leaf.setpoint !== '') return targetProblems(at, leaf);
  const problems = valueProblems(`${at}.value`, value, sensor_type);
  if (operator === 'between') {
    const path = `${at}.value_max`;
    const ends = [...problems, ...valueProblems(path, value_max, sensor_type)];
    const min = numberIn(value);
    if (ends.length === 0 && numberIn(value_max) < min) ends.push({ path, code: 'below_value', min });
    return ends;
  }
  return problems;
}
