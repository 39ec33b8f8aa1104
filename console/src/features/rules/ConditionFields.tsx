// The fields of a trigger or a stop condition. Unit and limits follow the quantity.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  operators,
  type SensorTypeName,
  sensorSpecs,
  sensorTypes,
  useDomain,
  VALUE_STEP,
} from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { DurationField } from './DurationField';
import type { FarmThings } from './farm';
import type { ConditionFields as Fields, Operator } from './form';
import { PlaceField } from './PlaceField';
import { fieldId, HINT_BELOW } from './problems';
import type { Sight } from './queries';
import classes from './RuleEditor.module.css';
import { Now } from './RuleStanding';

interface Props {
  /** `trigger` or `stop_condition`: the beginning of its paths. */
  part: 'trigger' | 'stop_condition';
  fields: Fields;
  /** What it sees now, as far as that is known. */
  sight: Sight | null | undefined;
  things: FarmThings;
  problemAt: (path: string) => string | undefined;
  onChange: (change: Partial<Fields>) => void;
}

export function ConditionFields({ part, fields, sight, things, problemAt, onChange }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const stops = part === 'stop_condition';
  const { sensorType, operator } = fields;
  const { min, max } = sensorSpecs[sensorType];
  const unit = words.unit(sensorType);
  const between = operator === 'between';
  const number = {
    type: 'number',
    inputMode: 'decimal',
    required: true,
    min,
    max,
    step: VALUE_STEP,
    inputWrapperOrder: HINT_BELOW,
    description: t('rules.editor.range', { from: format.reading(min), to: words.amount(sensorType, max) }),
  } as const;
  // The keyboards of some phones have no minus beside their digits.
  const mode = min < 0 ? ({ inputMode: 'text' } as const) : {};
  return (
    <div className={classes['fields']}>
      <NativeSelect
        id={fieldId(`${part}.sensor_type`)}
        label={t('rules.editor.sensorType')}
        required
        value={sensorType}
        error={problemAt(`${part}.sensor_type`)}
        data={sensorTypes.map((value) => ({ value, label: words.quantity(value) }))}
        onChange={(event) => onChange({ sensorType: event.currentTarget.value as SensorTypeName })}
      />
      <NativeSelect
        id={fieldId(`${part}.operator`)}
        label={t('rules.editor.operator')}
        required
        value={operator}
        error={problemAt(`${part}.operator`)}
        data={operators
          .filter((value) => !stops || value !== 'between')
          .map((value) => ({
            value,
            label: t('rules.editor.option', {
              words: words.operator(value),
              sign: words.operatorSign(value),
            }),
          }))}
        onChange={(event) => onChange({ operator: event.currentTarget.value as Operator })}
      />
      <TextInput
        {...number}
        {...mode}
        id={fieldId(`${part}.value`)}
        label={valueLabel(between ? 'from' : 'value')}
        value={fields.value}
        error={problemAt(`${part}.value`)}
        onChange={(event) => onChange({ value: event.currentTarget.value })}
      />
      {between && (
        <TextInput
          {...number}
          {...mode}
          id={fieldId(`${part}.value_max`)}
          label={valueLabel('to')}
          value={fields.valueMax}
          error={problemAt(`${part}.value_max`)}
          onChange={(event) => onChange({ valueMax: event.currentTarget.value })}
        />
      )}
      {sight && (
        <p className={classes['now']} data-now={part}>
          <Now sight={sight} type={sensorType} />
        </p>
      )}
      <DurationField
        label={t('rules.editor.duration')}
        path={`${part}.duration_sec`}
        value={fields.duration}
        problem={problemAt(`${part}.duration_sec`)}
        onChange={(duration) => onChange({ duration })}
      />
      <PlaceField
        label={t('rules.editor.ownPlace')}
        path={`${part}.scope`}
        value={fields.place}
        houses={things.houses}
        inherited={t(stops ? 'rules.editor.asTrigger' : 'rules.editor.asRule')}
        problem={problemAt(`${part}.scope`)}
        onChange={(chosen) => onChange({ place: chosen })}
      />
    </div>
  );

  function valueLabel(which: 'value' | 'from' | 'to'): string {
    if (unit === '') return t(`rules.editor.${which}`);
    return t(`rules.editor.${which}In`, { unit });
  }
}
