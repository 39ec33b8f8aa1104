// The words of a rule's sentence that may be chosen, and the fields of the form behind them.
import { OPEN, type Slot } from '../../i18n/domain';
import type { RuleFields } from './form';
import type { Hazard } from './queries';

const conditionFields: Partial<Record<Slot['name'], string>> = {
  sensor: 'sensor_type',
  place: 'scope',
  compared: 'operator',
  value: 'value',
  max: 'value_max',
  duration: 'duration_sec',
};
const actionFields: Partial<Record<Slot['name'], string>> = {
  device: 'device_id',
  do: 'command.action',
  amount: 'command.value',
  delay: 'delay_sec',
};

/** The field behind a word. */
export function pathOf({ of, name }: Pick<Slot, 'of' | 'name'>, fields: RuleFields): string {
  if (name === 'stops') return 'stops';
  if (typeof of === 'number') return `actions.${of}.${actionFields[name]}`;
  // Where the trigger says no place of its own, it is the rule's that is read and changed.
  if (of === 'trigger' && name === 'place' && fields.trigger.scope === '') return 'scope';
  return `${of === 'trigger' ? 'trigger' : 'stop_condition'}.${conditionFields[name]}`;
}

/** Whether a word is still to be chosen. */
export const isOpen = ({ text }: Pick<Slot, 'text'>) => text.includes(OPEN);

/** The words that a hazard is about, as the beginnings of their paths. */
export function pathsOf(hazard: Hazard, fields: RuleFields): string[] {
  switch (hazard.kind) {
    case 'no_sensor':
    case 'silent':
    case 'elsewhere':
      return (['trigger', 'stop_condition'] as const)
        .filter(
          (part) =>
            fields[part].sensor_type === hazard.sensor_type && (part === 'trigger' || fields.stops === true),
        )
        .map((part) => `${part}.sensor_type`);
    case 'overlap':
      return ['trigger.value', 'stop_condition.value'];
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
