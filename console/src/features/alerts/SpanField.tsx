// A number and its unit of time.
import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './Alerts.module.css';
import type { Span, TimeUnit } from './alert';
import { unitNames } from './words';

interface Props {
  label: string;
  description?: string;
  span: Span;
  units: readonly TimeUnit[];
  min: number;
  onChange: (span: Span) => void;
  error: ReactNode;
}

export function SpanField({ label, description, span, units, min, onChange, error }: Props) {
  const { t } = useTranslation();
  return (
    <div className={classes['span']}>
      <TextInput
        label={label}
        description={description}
        type="number"
        inputMode="numeric"
        required
        min={min}
        step={1}
        value={span.amount}
        onChange={(event) => onChange({ ...span, amount: event.currentTarget.value })}
        error={error}
        inputContainer={(input) => (
          <div className={classes['spanInputs']}>
            {input}
            <NativeSelect
              aria-label={t('alerts.unitOf', { label })}
              value={span.unit}
              onChange={(event) => {
                const unit = units.find((name) => name === event.currentTarget.value);
                if (unit) onChange({ ...span, unit });
              }}
              data={units.map((value) => ({ value, label: t(unitNames[value]) }))}
            />
          </div>
        )}
      />
    </div>
  );
}
