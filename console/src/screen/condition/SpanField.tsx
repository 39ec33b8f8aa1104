// A length of time: a number and its unit.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './Condition.module.css';
import type { FieldForm } from './fields';
import { durationUnits, type Span, type TimeUnit, unitNames } from './span';

interface Props {
  form: FieldForm;
  path: string;
  label: string;
  hint?: string;
  units?: readonly TimeUnit[];
  min?: number;
}

export function SpanField({ form, path, label, hint, units = durationUnits, min = 0 }: Props) {
  const { t } = useTranslation();
  const { value, onChange: _, ...field } = form.getInputProps(path);
  const span: Span = value;
  const put = (change: Partial<Span>) => form.setFieldValue(path, { ...span, ...change });
  return (
    <TextInput
      {...field}
      label={label}
      description={hint}
      type="number"
      inputMode="numeric"
      required
      min={min}
      step={1}
      value={span.amount}
      onChange={(event) => put({ amount: event.currentTarget.value })}
      inputContainer={(input) => (
        <div className={classes['span']}>
          {input}
          <NativeSelect
            aria-label={t('condition.unitOf', { label })}
            value={span.unit}
            onChange={(event) => put({ unit: event.currentTarget.value as TimeUnit })}
            data={units.map((unit) => ({ value: unit, label: t(unitNames[unit]) }))}
          />
        </div>
      )}
    />
  );
}
