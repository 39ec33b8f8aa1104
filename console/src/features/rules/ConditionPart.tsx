// The fields of a trigger or a stop condition, and what it would see now.
import { useTranslation } from 'react-i18next';
import { operators, sensorTypes, useDomain } from '../../i18n/domain';
import { ConditionFields } from '../../screen/condition/ConditionFields';
import type { FieldForm } from '../../screen/condition/fields';
import { PlaceField } from '../../screen/condition/PlaceField';
import { SpanField } from '../../screen/condition/SpanField';
import type { FarmThings } from './farm';
import type { ConditionFields as Fields } from './form';
import type { Sight } from './queries';
import classes from './RuleEditor.module.css';
import { Now } from './RuleStanding';

interface Props {
  form: FieldForm;
  /** The beginning of its paths. */
  part: 'trigger' | 'stop_condition';
  fields: Fields;
  /** What it sees now, as far as that is known. */
  sight: Sight | null | undefined;
  things: FarmThings;
}

export function ConditionPart({ form, part, fields, sight, things }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const stops = part === 'stop_condition';
  const { sensor_type: type } = fields;
  const between = fields.operator === 'between';
  const unit = words.unit(type);
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
      {sight && (
        <p className={classes['now']} data-now={part}>
          <Now sight={sight} type={type} />
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
