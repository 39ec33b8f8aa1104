// The numbers of a derived sensor, each with its unit; a formula's have names of their own.
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import type { SensorReading } from '../../api/readings';
import { useDomain } from '../../i18n/domain';
import classes from './Derived.module.css';
import type { Form } from './DerivedForm';

/** What the kinds' numbers are called. */
const labels = {
  leaf_offset: 'derived.constant.leaf_offset',
  pressure: 'derived.constant.pressure',
  lux_per_par: 'derived.constant.lux_per_par',
  base: 'derived.constant.base',
  upper: 'derived.constant.upper',
  minutes: 'derived.constant.minutes',
} as const;

export function NumberRows({ form, sensors }: { form: Form; sensors: readonly SensorReading[] }) {
  const { t } = useTranslation();
  const words = useDomain();
  const { kind, constants, inputs } = form.values;
  const isFormula = kind === 'formula';
  const labelOf = (name: string) => {
    if (isFormula) return t('derived.constantValue', { name });
    if (name in labels) return t(labels[name as keyof typeof labels]);
    const [input] = inputs;
    const unit = input?.type ? words.unit(input.type) : '';
    return unit ? t('derived.constant.thresholdUnit', { unit }) : t('derived.constant.threshold');
  };
  const isNeeded = ({ name, text }: { name: string; text: string }) => {
    // Light that is measured as light has no use for the way from lux.
    const isUnused = name === 'lux_per_par' && inputs[0]?.type === 'par';
    return !(isUnused && text !== '');
  };
  return (
    <>
      {constants.map((constant, nth) => {
        if (!isNeeded(constant)) return null;
        const value = (
          <TextInput
            // biome-ignore lint/suspicious/noArrayIndexKey: a formula's numbers are renamed while one types
            key={nth}
            label={labelOf(constant.name)}
            inputMode="text"
            autoComplete="off"
            value={constant.text}
            error={form.errors[`constants.${nth}`]}
            onChange={(event) => {
              form.clearFieldError(`constants.${nth}`);
              form.setFieldValue(`constants.${nth}.text`, event.currentTarget.value);
            }}
          />
        );
        if (!isFormula) return value;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a formula's numbers are renamed while one types
          <div key={nth} className={classes['row']} data-number={constant.name}>
            <div className={classes['pair']}>
              <TextInput
                label={t('derived.inputName')}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                value={constant.name}
                onChange={(event) => form.setFieldValue(`constants.${nth}.name`, event.currentTarget.value)}
              />
              <ActionIcon
                variant="subtle"
                color="var(--h-bad)"
                size="3rem"
                aria-label={t('derived.removeConstant', { name: constant.name })}
                onClick={() => form.removeListItem('constants', nth)}
              >
                <Remove size={22} aria-hidden />
              </ActionIcon>
            </div>
            {value}
          </div>
        );
      })}
      {isFormula && (
        <div className={classes['chips']}>
          <Button
            variant="default"
            leftSection={<Add size={18} aria-hidden />}
            onClick={() =>
              form.insertListItem('inputs', {
                name: nextName([...inputs, ...constants]),
                type: sensors.length > 0 ? '' : 'temperature',
                source: '',
              })
            }
          >
            {t('derived.addInput')}
          </Button>
          <Button
            variant="default"
            leftSection={<Add size={18} aria-hidden />}
            onClick={() =>
              form.insertListItem('constants', { name: nextName([...inputs, ...constants]), text: '' })
            }
          >
            {t('derived.addConstant')}
          </Button>
        </div>
      )}
    </>
  );
}

/** The first letter that names nothing yet. */
function nextName(taken: readonly { name: string }[]): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return [...letters].find((letter) => taken.every(({ name }) => name !== letter)) ?? '';
}
