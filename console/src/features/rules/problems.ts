// What can be seen to be wrong with a rule without asking the server, at paths of its document (`actions[1].command.value`).
import { type Problem, spanProblems, valueProblems } from '../../screen/condition/problems';
import { numberIn } from '../../screen/condition/span';
import { actionsOf, type ConditionFields, hasValue, MAX_ACTIONS, type RuleFields, valueRange } from './form';
import type { Device } from './queries';

/** Spec 5. */
const PRIORITY = { min: 1, max: 10 };

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

  problems.push(...conditionProblems('trigger', fields.trigger));

  if (fields.actions.length === 0) add('actions', 'required');
  if (fields.actions.length > MAX_ACTIONS) add('actions', 'too_many', { max: MAX_ACTIONS });
  fields.actions.forEach(({ device_id, command: { action, value }, delay_sec }, index) => {
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
    problems.push(...spanProblems(`${at}.delay_sec`, delay_sec, 0));
  });

  if (fields.stops) problems.push(...conditionProblems('stop_condition', fields.stop_condition));
  return problems;
}

function conditionProblems(at: string, fields: ConditionFields): Problem[] {
  const { sensor_type, operator, value, value_max, duration_sec } = fields;
  const problems = valueProblems(`${at}.value`, value, sensor_type);
  if (operator === 'between') {
    const path = `${at}.value_max`;
    const ends = [...problems, ...valueProblems(path, value_max, sensor_type)];
    const min = numberIn(value);
    if (ends.length === 0 && numberIn(value_max) < min) ends.push({ path, code: 'below_value', min });
    problems.splice(0, problems.length, ...ends);
  }
  return [...problems, ...spanProblems(`${at}.duration_sec`, duration_sec, 1)];
}
