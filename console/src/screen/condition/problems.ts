// What is wrong with a condition, and the words for what is wrong anywhere in a rule or an alert: the same for what the form
// sees and what the server says.
import { useTranslation } from 'react-i18next';
import { type SensorTypeName, sensorSpecs } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { numberIn, type Span } from './span';

export interface Problem {
  path: string;
  /** The server's stable words, and `too_small` for a minimum without a maximum. */
  code: string;
  min?: number;
  max?: number;
  /** The server's own text, for codes that this console does not know. */
  message?: string;
}

/** Of a value that is compared with a quantity. */
export function valueProblems(path: string, typed: string, type: SensorTypeName): Problem[] {
  const { min, max } = sensorSpecs[type];
  const value = numberIn(typed);
  if (Number.isNaN(value)) return [{ path, code: 'required' }];
  return value < min || value > max ? [{ path, code: 'out_of_range', min, max }] : [];
}

/** Of a length of time; `min` in its own unit. */
export function spanProblems(path: string, { amount }: Span, min: number): Problem[] {
  const value = numberIn(amount);
  const code = Number.isNaN(value)
    ? 'required'
    : !Number.isInteger(value)
      ? 'not_whole'
      : value < min
        ? 'too_small'
        : undefined;
  return code ? [{ path, code, min }] : [];
}

const words = {
  not_supported: 'condition.problem.notSupported',
  no_sensor: 'condition.problem.noSensor',
  unknown: 'condition.problem.unknown',
  no_value: 'condition.noValue',
  duplicate: 'condition.problem.taken',
  reserved: 'condition.problem.taken',
  id_differs: 'condition.problem.taken',
  wrong_type: 'condition.problem.wrong',
  not_an_object: 'condition.problem.wrong',
  invalid_id: 'condition.problem.wrong',
  invalid_time: 'condition.problem.wrong',
  type_changed: 'condition.problem.wrong',
  must_be_off: 'condition.problem.wrong',
} as const;

/** What is wrong at a field. */
export function useProblemText(): (problem: Problem) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return ({ path, code, min, max, message }) => {
    if (min !== undefined && max === undefined && code !== 'below_value')
      return t('condition.problem.wholeFrom', { min: format.count(min) });
    switch (code) {
      case 'required':
        return t('condition.problem.required');
      case 'not_whole':
        return t('condition.problem.whole');
      case 'out_of_range':
        return min === undefined || max === undefined
          ? t('condition.problem.outside')
          : t('condition.problem.range', { min: format.reading(min), max: format.reading(max) });
      case 'below_value':
        return t('condition.problem.belowValue', { min: format.reading(min ?? 0) });
      case 'too_many':
        return max === undefined
          ? t('condition.problem.outside')
          : t('condition.problem.tooMany', { max: format.count(max) });
      case 'unknown_word':
        return t(
          path.endsWith('.action') ? 'condition.problem.notSupported' : 'condition.problem.notOffered',
        );
      default:
        return code in words
          ? t(words[code as keyof typeof words])
          : (message ?? t('condition.problem.outside'));
    }
  };
}
