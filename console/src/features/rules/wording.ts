// Problems and hints in words: the same for what the form sees and what the server says.
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import type { FarmThings } from './farm';
import type { Problem } from './problems';
import type { Hazard } from './queries';

/** What is wrong at a field. */
export function useProblemText(): (problem: Problem) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useDomain();
  return ({ path, code, min, max, text }) => {
    switch (code) {
      case 'required':
        if (path === 'name') return t('rules.problem.name');
        return t(path === 'actions' ? 'rules.problem.noActions' : 'rules.problem.required');
      case 'out_of_range':
        return min !== undefined && max !== undefined
          ? t('rules.problem.range', { min: format.reading(min), max: format.reading(max) })
          : t('rules.problem.outside');
      case 'below_value':
        return t('rules.problem.belowValue', { min: format.reading(min ?? 0) });
      case 'too_small':
        return t('rules.problem.seconds', { min: words.duration(min ?? 0) });
      case 'not_whole':
        return t('rules.problem.whole');
      case 'too_many':
        return max === undefined
          ? t('rules.problem.outside')
          : t('rules.problem.tooMany', { max: format.count(max) });
      case 'not_supported':
        return t('rules.problem.notSupported');
      case 'no_sensor':
        return t('rules.problem.noSensor');
      case 'unknown':
        return t('rules.problem.unknown');
      case 'unknown_word':
        return t(path.endsWith('.action') ? 'rules.problem.notSupported' : 'rules.problem.notOffered');
      case 'no_value':
        return t('rules.editor.noValue');
      case 'duplicate':
      case 'reserved':
      case 'id_differs':
        return t('rules.problem.taken');
      case 'wrong_type':
      case 'not_an_object':
      case 'invalid_id':
      case 'invalid_time':
      case 'type_changed':
      case 'must_be_off':
        return t('rules.problem.wrong');
      default:
        return text ?? t('rules.problem.outside');
    }
  };
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

/** What the field of a path is called, for the summary of problems. */
export function useFieldName(): (path: string) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const inCondition = (field: string): string => {
    switch (field) {
      case 'sensor_type':
        return t('rules.editor.sensorType');
      case 'operator':
        return t('rules.editor.operator');
      case 'value_max':
        return t('rules.editor.to');
      case 'duration_sec':
        return t('rules.editor.duration');
      case 'scope':
        return t('rules.editor.ownPlace');
      default:
        return t('rules.editor.value');
    }
  };
  const inAction = (field: string): string => {
    switch (field) {
      case 'device_id':
        return t('rules.editor.device');
      case 'delay_sec':
        return t('rules.editor.delay');
      case 'command.value':
        return t('rules.editor.value');
      default:
        return t('rules.editor.what');
    }
  };
  return (path) => {
    const condition = /^(trigger|stop_condition)\.(.+)$/.exec(path);
    if (condition)
      return t('rules.problem.inPart', {
        part: t(condition[1] === 'trigger' ? 'rules.editor.trigger' : 'rules.editor.stop'),
        field: inCondition(condition[2] ?? ''),
      });
    const action = /^actions\[(\d+)\]\.(.+)$/.exec(path);
    if (action)
      return t('rules.problem.inPart', {
        part: t('rules.editor.action', { number: format.count(Number(action[1]) + 1) }),
        field: inAction(action[2] ?? ''),
      });
    switch (path) {
      case 'name':
        return t('form.name');
      case 'description':
        return t('rules.editor.description');
      case 'priority':
        return t('rules.editor.priority');
      case 'mode':
        return t('rules.editor.mode');
      case 'scope':
        return t('rules.editor.place');
      case 'actions':
        return t('rules.editor.actions');
      case 'on_signal_lost':
        return t('rules.editor.lost');
      default:
        return t('rules.problem.other');
    }
  };
}
