// What is compared with what: quantity, comparison and value, or two of them. Unit and limits follow the quantity.
import { type ComboboxItem, NativeSelect, TextInput } from '@mantine/core';
import type { FocusEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { type SensorTypeName, sensorSpecs, useDomain, VALUE_STEP } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import classes from './Condition.module.css';
import { type FieldForm, HINT_BELOW } from './fields';

interface Props {
  form: FieldForm;
  /** The paths of its fields; that of the upper end where it has one. */
  paths: { sensor: string; operator: string; value: string; top?: string | false };
  labels: { sensor: string; operator: string; value: string; top?: string };
  /** What the chosen quantity is. */
  type: SensorTypeName;
  quantities: readonly ComboboxItem[];
  operators: readonly ComboboxItem[];
  /** In a narrow row, where the labels are only heard. */
  narrow?: boolean;
}

export function ConditionFields({ form, paths, labels, type, quantities, operators, narrow = false }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const { min, max } = sensorSpecs[type];
  const unit = words.unit(type);
  const named = (label: string | undefined) =>
    narrow ? { 'aria-label': label } : { label, required: true, inputWrapperOrder: HINT_BELOW };
  const number = {
    type: 'number',
    // The keyboards of some phones have no minus beside their digits.
    inputMode: min < 0 ? 'text' : 'decimal',
    min,
    max,
    step: VALUE_STEP,
    // What stands there is a usual number, or one of another quantity: the first digit replaces it.
    onFocus: (event: FocusEvent<HTMLInputElement>) => event.currentTarget.select(),
    ...(narrow
      ? {
          rightSection: unit && <span className={classes['unit']}>{unit}</span>,
          rightSectionWidth: unit ? `${1.25 + unit.length * 0.55}rem` : 0,
        }
      : {
          description: t('condition.range', { from: format.reading(min), to: words.amount(type, max) }),
        }),
  } as const;
  return (
    <>
      <NativeSelect {...form.getInputProps(paths.sensor)} {...named(labels.sensor)} data={[...quantities]} />
      <NativeSelect
        {...form.getInputProps(paths.operator)}
        {...named(labels.operator)}
        data={[...operators]}
      />
      <TextInput {...form.getInputProps(paths.value)} {...number} {...named(labels.value)} />
      {paths.top && <TextInput {...form.getInputProps(paths.top)} {...number} {...named(labels.top)} />}
    </>
  );
}
