// The words of a rule's sentence that may be chosen, the fields of the form behind them, and where what the server says of a
// document stands in the form.
import { OPEN, type Slot } from '../../i18n/domain';
import type { RuleFields } from './form';
import { aloneIn, type GroupFields, type LeafFields } from './leaves';
import type { Hazard } from './queries';

export type GroupName = 'trigger' | 'guard' | 'stop';

/** Where a group of conditions stands in the form. */
export const groupPaths: Record<GroupName, string> = {
  trigger: 'trigger',
  guard: 'schedule.guard',
  stop: 'stop_condition',
};

export function groupAt(of: GroupName, fields: RuleFields): GroupFields {
  if (of === 'guard') return fields.schedule.guard;
  return of === 'stop' ? fields.stop_condition : fields.trigger;
}

/** The condition that a word is of, and where that stands. */
export function leafOf(
  { of, nth }: Pick<Slot, 'of' | 'nth'>,
  fields: RuleFields,
): { of: GroupName; at: string; nth: number; group: GroupFields; leaf: LeafFields } | undefined {
  if (typeof of === 'number' || of === 'clock' || nth === undefined) return undefined;
  const group = groupAt(of, fields);
  const leaf = group.of[nth];
  return leaf && { of, at: `${groupPaths[of]}.of.${nth}`, nth, group, leaf };
}

const leafFields: Partial<Record<Slot['name'], string>> = {
  sensor: 'sensor_type',
  place: 'scope',
  compared: 'operator',
  value: 'value',
  max: 'value_max',
  hold: 'hold_sec',
  days: 'days',
  rule: 'rule',
  device: 'device',
  is: 'is',
};
const actionFields: Partial<Record<Slot['name'], string>> = {
  device: 'device_id',
  do: 'command.action',
  amount: 'command.value',
  curve: 'curve',
  delay: 'delay_sec',
  lasts: 'for_sec',
  linger: 'linger_sec',
};
const clockFields: Partial<Record<Slot['name'], string>> = {
  minutes: 'schedule.every.minutes',
  from: 'schedule.every.from',
  to: 'schedule.every.to',
  days: 'schedule.days',
  unknown: 'schedule.if_unknown',
  late: 'schedule.catch_up_sec',
  run: 'run_sec',
};

/** The field behind a word. */
export function pathOf({ of, nth, name }: Pick<Slot, 'of' | 'nth' | 'name'>, fields: RuleFields): string {
  if (name === 'stops') return 'stops';
  if (typeof of === 'number') return `actions.${of}.${actionFields[name]}`;
  if (of === 'clock') {
    if (name === 'moment') return `schedule.at.${nth}`;
    return name === 'dates' ? `schedule.dates.${nth === 0 ? 'from' : 'to'}` : (clockFields[name] ?? '');
  }
  const group = groupAt(of, fields);
  const leaf = group.of[nth ?? 0];
  const path = groupPaths[of];
  if (name === 'duration' || (name === 'hold' && of !== 'guard' && group.of.length === 1))
    return `${path}.duration_sec`;
  // Where the trigger is one condition and says no place of its own, it is the rule's that is read and changed.
  if (of === 'trigger' && name === 'place' && aloneIn(group)?.scope === '') return 'scope';
  if (name === 'value' && leaf?.setpoint) return `${path}.of.${nth ?? 0}.setpoint`;
  const end = name === 'from' || name === 'to';
  const field = end ? `${leaf?.kind === 'dates' ? 'dates.' : ''}${name}` : leafFields[name];
  return `${path}.of.${nth ?? 0}.${field}`;
}

/** Whether a word is still to be chosen. */
export const isOpen = ({ text }: Pick<Slot, 'text'>) => text.includes(OPEN);

/** Where a problem of the document stands in the form: `trigger.all[1].not.value` at `trigger.of.1.value`. */
export function formPath(path: string, fields: RuleFields): string {
  // What is wrong with the rules that it names is said of the trigger as a whole.
  if (path === 'trigger') return firstRule(fields) ?? path;
  const parts = path.split(/[.[\]]+/).filter(Boolean);
  const clock = parts[0] === 'trigger' && parts[1] === 'schedule';
  const at = clock ? parts.slice(1) : parts;
  const guards = at[0] === 'schedule' && at[1] === 'guard';
  if (!guards && at[0] !== 'trigger' && at[0] !== 'stop_condition') return at.join('.');
  const head = guards ? 'schedule.guard' : (at[0] ?? '');
  const rest = at.slice(guards ? 2 : 1);
  const group = groupAt(guards ? 'guard' : at[0] === 'trigger' ? 'trigger' : 'stop', fields);
  if (rest[0] === 'of' || rest.length === 0) return [head, ...rest].join('.');
  if (rest[0] === 'duration_sec' || (rest[0] === 'hold_sec' && group.of.length > 1))
    return `${head}.duration_sec`;
  const branches = rest[0] === 'all' || rest[0] === 'any';
  const nth = branches ? (rest[1] ?? '0') : '0';
  // The leaf keeps on one level what its node has below `not` and `time`.
  const field = rest.slice(branches ? 2 : 0).filter((part) => part !== 'not' && part !== 'time');
  return [head, 'of', nth, ...field].join('.');
}

/** The first word that names another rule. */
function firstRule(fields: RuleFields): string | undefined {
  const { starts, schedule, stops } = fields;
  const start: GroupName = starts === 'condition' ? 'trigger' : 'guard';
  const groups: GroupName[] = [
    ...(start === 'trigger' || schedule.guarded ? [start] : []),
    ...(stops ? ['stop' as const] : []),
  ];
  for (const of of groups) {
    const nth = groupAt(of, fields).of.findIndex(({ kind }) => kind === 'rule');
    if (nth >= 0) return `${groupPaths[of]}.of.${nth}.rule`;
  }
  return undefined;
}

/** The words that a hazard is about, as the beginnings of their paths. */
export function pathsOf(hazard: Hazard, fields: RuleFields): string[] {
  switch (hazard.kind) {
    case 'no_sensor':
    case 'silent':
    case 'elsewhere':
      return (['trigger', 'stop_condition'] as const)
        .filter((part) => part === 'trigger' || fields.stops === true)
        .filter((part) => aloneIn(fields[part])?.sensor_type === hazard.sensor_type)
        .map((part) => `${part}.of.0.sensor_type`);
    case 'overlap':
    case 'chatter':
      return ['trigger.of.0.value', 'stop_condition.of.0.value'];
    case 'pump':
    case 'outranked':
      return [
        ...(hazard.kind === 'pump' ? ['stops'] : []),
        ...fields.actions.flatMap(({ device_id }, at) =>
          device_id === hazard.device.id ? [`actions.${at}.device_id`] : [],
        ),
      ];
  }
}
