// A setpoint in words: which rules it moves, and its points.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { useRuleWords } from '../../i18n/rule-words';
import { numberIn } from '../../screen/condition/span';
import { momentOf } from './leaves';
import type { Setpoint } from './queries';
import type { PointFields, SetpointFields } from './setpoint-form';

/** "Moves: Vent, Fan at night". */
export function useMoved(): (setpoint: Setpoint | undefined) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return (setpoint) => {
    const names = setpoint?.rules.map(({ name, active }) =>
      active ? name : t('rules.setpoint.idle', { name }),
    );
    return names && names.length > 0
      ? t('rules.setpoint.moves', { rules: format.list(names) })
      : t('rules.setpoint.movesNone');
  };
}

/** "24 °C at 6:00 am, within 30 min". */
export function usePointText(): (point: PointFields, type: SetpointFields['sensor_type']) => string {
  const { t } = useTranslation();
  const words = useRuleWords();
  return ({ at, value, ramp_min }, type) => {
    const holes = {
      value: words.amount(type, numberIn(value)),
      time: words.momentText(momentOf(at), 'moment'),
    };
    const ramp = numberIn(ramp_min);
    return ramp > 0
      ? t('rules.setpoint.pointRamp', { ...holes, ramp: words.duration(ramp * 60) })
      : t('rules.setpoint.point', holes);
  };
}
