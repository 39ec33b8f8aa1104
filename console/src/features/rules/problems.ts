// What is wrong with a rule: what the form sees for itself, and what the server says, both as problems at paths of the
// document (`actions[1].command.value`), so that both are told in the same words at the same fields.
import { ApiError, type FieldProblem } from '../../api/errors';
import { sensorSpecs } from '../../i18n/domain';
import {
  actionsOf,
  type ConditionFields,
  hasValue,
  MAX_ACTIONS,
  numberIn,
  type RuleFields,
  secondsIn,
  valueRange,
} from './form';
import type { Device, NewRule } from './queries';

export interface Problem {
  path: string;
  /** The server's stable words, and `too_small` for a minimum without a maximum. */
  code: string;
  min?: number;
  max?: number;
  /** The server's own text, for codes that this console does not know. */
  text?: string;
}

/** Spec 5. */
const PRIORITY = { min: 1, max: 10 };
const MIN_HOLD_SEC = 1;

/** All that can be seen without asking, in the order of the form. */
export function problemsOf(fields: RuleFields, devices: readonly Device[]): Problem[] {
  const problems: Problem[] = [];
  const add = (path: string, code: string, limits?: { min?: number; max?: number }) =>
    problems.push({ path, code, ...limits });

  if (fields.name.trim() === '') add('name', 'required');
  const priority = numberIn(fields.priority);
  if (Number.isNaN(priority)) add('priority', 'required');
  else if (!Number.isInteger(priority)) add('priority', 'not_whole');
  else if (priority < PRIORITY.min || priority > PRIORITY.max) add('priority', 'out_of_range', PRIORITY);

  problems.push(...conditionProblems('trigger', fields.trigger));

  if (fields.actions.length === 0) add('actions', 'required');
  if (fields.actions.length > MAX_ACTIONS) add('actions', 'too_many', { max: MAX_ACTIONS });
  fields.actions.forEach(({ deviceId, action, value, delay }, index) => {
    const at = `actions[${index}]`;
    const device = devices.find(({ id }) => id === deviceId);
    if (deviceId === '') add(`${at}.device_id`, 'required');
    else if (action === '') add(`${at}.command.action`, 'required');
    else if (device && !actionsOf(device).includes(action)) add(`${at}.command.action`, 'not_supported');
    else if (hasValue(action)) {
      const given = numberIn(value);
      const range = valueRange(action, device);
      if (Number.isNaN(given)) add(`${at}.command.value`, 'required');
      else if (given < range.min || given > range.max) add(`${at}.command.value`, 'out_of_range', range);
      else if (action === 'pulse' && !Number.isInteger(given)) add(`${at}.command.value`, 'not_whole');
    }
    problems.push(...durationProblems(`${at}.delay_sec`, secondsIn(delay), 0));
  });

  if (fields.stops) problems.push(...conditionProblems('stop_condition', fields.stop));
  return problems;
}

function conditionProblems(at: string, fields: ConditionFields): Problem[] {
  const { min, max } = sensorSpecs[fields.sensorType];
  const problems: Problem[] = [];
  const check = (path: string, text: string): number => {
    const value = numberIn(text);
    if (Number.isNaN(value)) problems.push({ path, code: 'required' });
    else if (value < min || value > max) problems.push({ path, code: 'out_of_range', min, max });
    return value;
  };
  const value = check(`${at}.value`, fields.value);
  if (fields.operator === 'between') {
    const before = problems.length;
    const top = check(`${at}.value_max`, fields.valueMax);
    if (problems.length === before && top < value)
      problems.push({ path: `${at}.value_max`, code: 'below_value', min: value });
  }
  return [...problems, ...durationProblems(`${at}.duration_sec`, secondsIn(fields.duration), MIN_HOLD_SEC)];
}

function durationProblems(path: string, seconds: number, min: number): Problem[] {
  if (Number.isNaN(seconds)) return [{ path, code: 'required' }];
  if (!Number.isInteger(seconds)) return [{ path, code: 'not_whole' }];
  return seconds < min ? [{ path, code: 'too_small', min }] : [];
}

/** The fields of the form, by the path of the document that each stands for. */
const wholes = ['trigger.scope', 'stop_condition.scope', 'scope'];

/** Where the form shows a problem: a place is one field, whichever of its parts is wrong. */
export function fieldOf(path: string): string {
  const whole = wholes.find((field) => path === field || path.startsWith(`${field}.`));
  if (whole) return whole;
  return /^actions\[\d+\]\.command$/.test(path) ? `${path}.action` : path;
}

/** What the server refused, with the limits that the form knows. */
export function refusedProblems(error: unknown, fields: RuleFields, devices: readonly Device[]): Problem[] {
  if (!(error instanceof ApiError)) return [];
  return error.problems.map((problem) => ({
    ...limitsAt(problem, fields, devices),
    path: fieldOf(problem.path),
    code: problem.code,
    text: problem.message,
  }));
}

function limitsAt(
  { path }: FieldProblem,
  fields: RuleFields,
  devices: readonly Device[],
): { min?: number; max?: number } {
  if (path === 'priority') return PRIORITY;
  const condition = /^(trigger|stop_condition)\.(value|value_max)$/.exec(path);
  if (condition) {
    const { min, max } = sensorSpecs[(condition[1] === 'trigger' ? fields.trigger : fields.stop).sensorType];
    return { min, max };
  }
  const action = fields.actions[Number(/^actions\[(\d+)\]\.command\.value$/.exec(path)?.[1])];
  if (!action || action.action === '') return {};
  return valueRange(
    action.action,
    devices.find(({ id }) => id === action.deviceId),
  );
}

/** Hints stand under their fields, so that fields side by side are level. */
export const HINT_BELOW: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];

/** The id of the field of a path in the page. */
export function fieldId(path: string): string {
  return `rule-${path.replaceAll(/[^a-z0-9_]+/gi, '-')}`;
}

/** Those of the refused problems whose field still says what was refused. */
export function stillRefused(problems: readonly Problem[], refused: NewRule, present: NewRule): Problem[] {
  return problems.filter(
    ({ path }) => JSON.stringify(saidAt(refused, path)) === JSON.stringify(saidAt(present, path)),
  );
}

/** What a document says at a path; which sensors there are depends on the place too. */
function saidAt(document: NewRule, path: string): unknown {
  const value = path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce<unknown>(
      (part, key) => (typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined),
      document,
    );
  if (!path.endsWith('.sensor_type')) return value;
  return [value, document.scope, document.trigger.scope, document.stop_condition?.scope];
}
