// A rule's problems and hints in words.
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import {
  type NodeWords,
  OPEN,
  type PlacedCondition,
  type PlacedTree,
  type RuleWords,
  useDomain,
} from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { capital, textOf } from '../../i18n/phrase';
import { useRuleWords } from '../../i18n/rule-words';
import type { FieldForm } from '../../screen/condition/fields';
import { type Problem, useProblemText } from '../../screen/condition/problems';
import type { FarmThings } from './farm';
import type { Hazard } from './queries';

/** As many devices as fit into a name. */
const MAX_NAMED = 3;

/** What is wrong at a field. */
export function useRuleProblemText(): (problem: Problem) => string {
  const { t } = useTranslation();
  const text = useProblemText();
  const words = useDomain();
  return (problem) => {
    if (problem.code === 'required' && problem.path === 'name') return t('rules.problem.name');
    if (problem.code === 'required' && problem.path === 'actions') return t('rules.problem.noActions');
    if (problem.code === 'too_long' && problem.max !== undefined)
      return t('rules.problem.tooLong', { max: words.duration(problem.max) });
    if (problem.code === 'runs_too_long' && problem.max !== undefined)
      return t('rules.problem.runsTooLong', { max: words.duration(problem.max) });
    if (problem.code === 'no_such_date') return t('rules.problem.noDate');
    if (problem.code === 'not_later') return t('rules.problem.notLater');
    if (problem.code === 'out_of_order') return t('rules.setpoint.outOfOrder');
    if (problem.code === 'not_above') return t('rules.curve.notAbove');
    if (problem.code === 'too_deep') return t('rules.problem.tooDeep');
    if (problem.code === 'circular') return t('rules.problem.cycle');
    return text(problem);
  };
}

/** What a rule is called until somebody names it; empty while its sentence says too little. */
export function useSuggestedName(): (rule: RuleWords) => string {
  const { t } = useTranslation();
  const words = useRuleWords();
  const format = useFormat();
  return ({ trigger, actions, names = { rule: String, device: String, setpoint: String } }) => {
    const devices = [...new Set(actions.map(({ device }) => device))].filter(Boolean).slice(0, MAX_NAMED);
    if (devices.length === 0) return '';
    const device = format.list(devices);
    if ('schedule' in trigger) {
      const when = textOf(capital(words.daysPhrase(trigger.schedule)));
      return when.includes(OPEN) ? '' : t('rules.named.clock', { when, device });
    }
    const first = firstComparison(trigger);
    const { sensor_type, operator, value, value_max, setpoint } = first ?? {};
    // What compares nothing is called by all that it says.
    if (!sensor_type) {
      const when = textOf(capital([words.partSentence(trigger, names)]));
      return when.includes(OPEN) ? '' : t('rules.named.clock', { when, device });
    }
    if (!first || !operator || !(setpoint || Number.isFinite(value))) return '';
    return t(`rules.named.${operator}`, {
      quantity: words.quantity(sensor_type),
      value: words.threshold(first, names),
      max: words.amount(sensor_type, value_max ?? value ?? Number.NaN),
      device,
    });
  };
}

/** What a trigger compares first, if anything. */
function firstComparison(trigger: PlacedCondition | PlacedTree): NodeWords | undefined {
  if (!('tree' in trigger)) return trigger;
  const { all, any, ...root } = trigger.tree;
  return [root, ...(all ?? any ?? [])].find(({ sensor_type }) => sensor_type);
}

/** What is said once: what outranks several devices of the rule. */
export function merged(hazards: readonly Hazard[], list: (names: readonly string[]) => string): Hazard[] {
  const kept: Hazard[] = [];
  for (const hazard of hazards) {
    const same =
      hazard.kind === 'outranked'
        ? kept.findIndex((each) => each.kind === 'outranked' && each.rule.id === hazard.rule.id)
        : -1;
    const before = kept[same];
    if (hazard.kind === 'outranked' && before?.kind === 'outranked')
      kept[same] = {
        ...before,
        device: {
          ...before.device,
          name: list([before.device.name || before.device.id, hazard.device.name || hazard.device.id]),
        },
      };
    else kept.push(hazard);
  }
  return kept;
}

/** What one should know of a rule before it runs. */
export function useHazardText({ houses }: Pick<FarmThings, 'houses'>): (hazard: Hazard) => string {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  return (hazard) => {
    switch (hazard.kind) {
      case 'no_sensor':
      case 'silent': {
        const quantity = t(`domain.quantityInText.${hazard.sensor_type}`);
        // Nothing lies around the farm in which a sensor could be.
        if (hazard.kind === 'no_sensor' && hazard.place.type === 'farm')
          return t('rules.hazard.no_sensor_farm', { quantity });
        return t(`rules.hazard.${hazard.kind}`, {
          quantity,
          place: words.placeInText(hazard.place, houses),
        });
      }
      case 'elsewhere':
        return t('rules.hazard.elsewhere', {
          quantity: t(`domain.quantityInText.${hazard.sensor_type}`),
          place: words.placeInText(hazard.place, houses),
          used: words.placeInText(hazard.used, houses),
        });
      case 'pump':
        return t('rules.hazard.pump', {
          device: hazard.device.name || hazard.device.id,
          duration: words.duration(hazard.clear_sec),
        });
      case 'overlap':
        return t('rules.hazard.overlap');
      case 'chatter':
        return t('rules.hazard.chatter', {
          low: words.amount(hazard.sensor_type, hazard.low),
          high: words.amount(hazard.sensor_type, hazard.high),
          starts: format.count(hazard.starts_per_hour),
        });
      case 'outranked':
        return t('rules.hazard.outranked', {
          device: hazard.device.name || hazard.device.id,
          rule: hazard.rule.name || hazard.rule.id,
        });
    }
  };
}

const fieldNames: Record<string, ParseKeys> = {
  name: 'form.name',
  description: 'rules.editor.description',
  priority: 'rules.editor.priority',
  mode: 'rules.editor.mode',
  scope: 'rules.editor.place',
  actions: 'rules.editor.actions',
  on_signal_lost: 'rules.editor.lost',
  stops: 'rules.editor.stop',
  run_sec: 'rules.program.field.run',
  'condition.sensor_type': 'rules.editor.sensorType',
  'condition.operator': 'rules.editor.operator',
  'condition.value': 'rules.editor.value',
  'condition.value_max': 'rules.editor.to',
  'condition.setpoint': 'rules.editor.value',
  'condition.offset': 'rules.target.offset',
  'condition.duration_sec': 'rules.editor.duration',
  'condition.hold_sec': 'rules.editor.duration',
  'condition.scope': 'rules.editor.ownPlace',
  'condition.from': 'rules.program.field.from',
  'condition.to': 'rules.program.field.to',
  'condition.days': 'rules.program.field.days',
  'condition.dates.from': 'rules.program.dates.from',
  'condition.dates.to': 'rules.program.dates.to',
  'condition.rule': 'rules.program.kind.rule',
  'condition.device': 'rules.editor.device',
  'condition.is': 'rules.program.field.is',
  'schedule.at': 'rules.program.field.moment',
  'schedule.every.minutes': 'rules.program.field.minutes',
  'schedule.every.from': 'rules.program.field.from',
  'schedule.every.to': 'rules.program.field.to',
  'schedule.days': 'rules.program.field.days',
  'schedule.dates.from': 'rules.program.dates.from',
  'schedule.dates.to': 'rules.program.dates.to',
  'schedule.if_unknown': 'rules.program.field.unknown',
  'schedule.catch_up_sec': 'rules.program.field.late',
  'action.device_id': 'rules.editor.device',
  'action.command.action': 'rules.editor.what',
  'action.command.value': 'rules.editor.value',
  'action.curve': 'rules.curve.title',
  'action.delay_sec': 'rules.editor.delay',
  'action.for_sec': 'rules.program.field.lasts',
  'action.linger_sec': 'rules.program.field.linger',
};

interface PathParts {
  part: 'trigger' | 'guard' | 'stop' | 'clock' | 'action';
  /** Which of the part, from 0. */
  nth: number | undefined;
  /** The field's name in its part. */
  field: string;
}

/** A path of the form in its part, which one of it, and the field in that part. */
function partsOf(path: string): PathParts | undefined {
  const group = /^(trigger|stop_condition|schedule\.guard)(?:\.of\.(\d+))?\.(.+)$/.exec(path);
  if (group) {
    const [, of, nth, rest = ''] = group;
    return {
      part: of === 'trigger' ? 'trigger' : of === 'stop_condition' ? 'stop' : 'guard',
      nth: nth === undefined ? undefined : Number(nth),
      field: `condition.${rest.replace(/^(from|to)\.(time|minutes)$/, '$1')}`,
    };
  }
  const moment = /^schedule\.at(?:\.(\d+).*)?$/.exec(path);
  if (moment) return { part: 'clock', nth: Number(moment[1] ?? 0), field: 'schedule.at' };
  if (path.startsWith('schedule.')) return { part: 'clock', nth: undefined, field: path };
  const action = /^actions\.(\d+)\.(curve(?=\.|$)|.+)/.exec(path);
  if (action) return { part: 'action', nth: Number(action[1]), field: `action.${action[2]}` };
  return undefined;
}

const partNames = {
  trigger: 'rules.editor.trigger',
  guard: 'rules.program.onlyIf',
  stop: 'rules.editor.stop',
  clock: 'rules.editor.trigger',
} as const;

/** What the field of a path of the form is called, within its part. */
export function useWordName(): (path: string) => string {
  const { t } = useTranslation();
  return (path) => t(fieldNames[partsOf(path)?.field ?? path] ?? 'rules.problem.other');
}

/** The same with its part, for the summary of problems and for who hears the sentence. */
export function useFieldName(): (path: string) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const name = useWordName();
  return (path) => {
    const found = partsOf(path);
    const field = name(path);
    if (!found) return field;
    const { part, nth = 0 } = found;
    if (part === 'action')
      return t('rules.problem.inPart', {
        part: t('rules.editor.action', { number: format.count(nth + 1) }),
        field,
      });
    const of = t(partNames[part]);
    return t('rules.problem.inPart', {
      part: nth === 0 ? of : t('rules.program.nth', { part: of, number: format.count(nth + 1) }),
      field,
    });
  };
}

/** Puts a value that has parts of its own: what was wrong within the one before says nothing of it. */
export function putAt(form: FieldForm, path: string, value: unknown): void {
  form.setFieldValue(path, value);
  form.setErrors((errors) =>
    Object.fromEntries(Object.entries(errors).filter(([at]) => at !== path && !at.startsWith(`${path}.`))),
  );
}
