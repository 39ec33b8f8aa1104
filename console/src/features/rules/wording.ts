// A rule's problems and hints in words.
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import { type PlacedCondition, type RuleWords, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { type Problem, useProblemText } from '../../screen/condition/problems';
import type { FarmThings } from './farm';
import type { Hazard } from './queries';

/** As many devices as fit into a name. */
const MAX_NAMED = 3;

/** What is wrong at a field. */
export function useRuleProblemText(): (problem: Problem) => string {
  const { t } = useTranslation();
  const text = useProblemText();
  return (problem) => {
    if (problem.code === 'required' && problem.path === 'name') return t('rules.problem.name');
    if (problem.code === 'required' && problem.path === 'actions') return t('rules.problem.noActions');
    return text(problem);
  };
}

/** What a rule is called until somebody names it; empty while its sentence says too little. */
export function useSuggestedName(): (rule: RuleWords<PlacedCondition>) => string {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  return ({ trigger: { sensor_type, operator, value, value_max }, actions }) => {
    const devices = [...new Set(actions.map(({ device }) => device))].filter(Boolean).slice(0, MAX_NAMED);
    if (devices.length === 0 || !Number.isFinite(value)) return '';
    return t(`rules.named.${operator}`, {
      quantity: words.quantity(sensor_type),
      value: words.amount(sensor_type, value),
      max: words.amount(sensor_type, value_max ?? value),
      device: format.list(devices),
    });
  };
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
  'condition.sensor_type': 'rules.editor.sensorType',
  'condition.operator': 'rules.editor.operator',
  'condition.value': 'rules.editor.value',
  'condition.value_max': 'rules.editor.to',
  'condition.duration_sec': 'rules.editor.duration',
  'condition.scope': 'rules.editor.ownPlace',
  'action.device_id': 'rules.editor.device',
  'action.command.action': 'rules.editor.what',
  'action.command.value': 'rules.editor.value',
  'action.delay_sec': 'rules.editor.delay',
};

/** A path of the form in its part, the action's number, and the field in that part. */
const partsOf = (path: string) =>
  /^(trigger|stop_condition|actions\.(\d+))\.(.+)$/.exec(path)?.slice(1) as
    | [string, string?, string?]
    | undefined;

/** What the field of a path of the form is called, within its part. */
export function useWordName(): (path: string) => string {
  const { t } = useTranslation();
  return (path) => {
    const [part, nth, rest] = partsOf(path) ?? [];
    return t(fieldNames[part ? `${nth ? 'action' : 'condition'}.${rest}` : path] ?? 'rules.problem.other');
  };
}

/** The same with its part, for the summary of problems and for who hears the sentence. */
export function useFieldName(): (path: string) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const name = useWordName();
  return (path) => {
    const [part, nth] = partsOf(path) ?? [];
    const field = name(path);
    if (!part) return field;
    const of = nth
      ? t('rules.editor.action', { number: format.count(Number(nth) + 1) })
      : t(part === 'trigger' ? 'rules.editor.trigger' : 'rules.editor.stop');
    return t('rules.problem.inPart', { part: of, field });
  };
}
