// The fields of a trigger or a stop condition, and what it would see now.
import { useTranslation } from 'react-i18next';
import { operators, sensorTypes, useDomain } from '../../i18n/domain';
import { ConditionFields } from '../../screen/condition/ConditionFields';
import type { FieldForm } from '../../screen/condition/fields';
import { PlaceField } from '../../screen/condition/PlaceField';
import type { Scope } from '../../screen/condition/places';
import { SpanField } from '../../screen/condition/SpanField';
import type { FarmThings } from './farm';
import type { ConditionFields as Fields } from './form';
import classes from './RuleEditor.module.css';
import { Now, useSignal } from './RuleStanding';

interface Props {
  form: FieldForm;
  /** The beginning of its paths. */
  part: 'trigger' | 'stop_condition';
  fields: Fields;
  /** Where it is, defaults filled in. */
  place: Scope;
  things: FarmThings;
}

export function ConditionPart({ form, part, fields, place, things }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const stops = part === 'stop_condition';
  const { sensor_type: type } = fields;
  const between = fields.operator === 'between';
  const unit = words.unit(type);
  const signal = useSignal(place, type, things);
  const valueLabel = (which: 'value' | 'from' | 'to') =>
    unit === '' ? t(`rules.editor.${which}`) : t(`rules.editor.${which}In`, { unit });
  return (
    <div className={classes['fields']}>
      <ConditionFields
        form={form}
        paths={{
          sensor: `${part}.sensor_type`,
          operator: `${part}.operator`,
          value: `${part}.value`,
          top: between && `${part}.value_max`,
        }}
        labels={{
          sensor: t('rules.editor.sensorType'),
          operator: t('rules.editor.operator'),
          value: valueLabel(between ? 'from' : 'value'),
          top: valueLabel('to'),
        }}
        type={type}
        quantities={sensorTypes.map((value) => ({ value, label: words.quantity(value) }))}
        operators={operators
          .filter((value) => !stops || value !== 'between')
          .map((value) => ({
            value,
            label: t('rules.editor.option', {
              words: words.operator(value),
              sign: words.operatorSign(value),
            }),
          }))}
      />
      {signal && (
        <p className={classes['now']} data-now={part}>
          <Now signal={signal} type={type} />
        </p>
      )}
      <SpanField form={form} path={`${part}.duration_sec`} label={t('rules.editor.duration')} min={1} />
      <PlaceField
        form={form}
        path={`${part}.scope`}
        label={t('rules.editor.ownPlace')}
        houses={things.houses}
        inherited={t(stops ? 'rules.editor.asTrigger' : 'rules.editor.asRule')}
      />
    </div>
  );
}
