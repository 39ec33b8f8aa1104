// The form of a device's limits: each a line in plain words with a switch and a number.
import { NativeSelect, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Device } from '../../screen/device';
import { FormDialog } from '../../screen/FormDialog';
import { Switch } from '../../ui/Switch';
import { GroupChoice } from './GroupChoice';
import { HoursFields } from './HoursFields';
import classes from './Limits.module.css';
import {
  type Amount,
  bodyOf,
  counts,
  type LimitsValues,
  missing,
  times,
  type Unit,
  valuesOf,
  volumes,
} from './limits';

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  device: Device;
  /** All of the farm: those of the same house can carry it. */
  devices: readonly Device[];
}

type Form = UseFormReturnType<LimitsValues>;

export function LimitsForm({ farmId, device, devices, ...dialog }: Props) {
  const { t } = useTranslation();
  return (
    <FormDialog<Device, LimitsValues>
      {...dialog}
      farmId={farmId}
      title={t('limits.of', { device: device.name })}
      failed={t('limits.saveFailed')}
      known={device}
      values={(known) => valuesOf(known ?? device)}
      check={(values) => {
        const { numbers, choices, times: open } = missing(values);
        return Object.fromEntries([
          ...numbers.map((path) => [path, t('limits.numberNeeded')]),
          ...choices.map((path) => [
            path,
            t(path.includes('hours') ? 'limits.hours.needed' : 'limits.choiceNeeded'),
          ]),
          ...open.map((path) => [path, t('limits.hours.timesNeeded')]),
        ]);
      }}
      save={(values, _, headers) =>
        api.PUT('/api/farms/{farmId}/devices/{deviceId}/limits', {
          params: { path: { farmId, deviceId: device.id } },
          headers,
          body: bodyOf(values),
        })
      }
    >
      {(form) => (
        <>
          <p className={classes['hint']}>{t('limits.hint')}</p>
          <AmountLine form={form} path="limits.min_on_sec" label={t('limits.minOn')} units={times} />
          <AmountLine form={form} path="limits.min_off_sec" label={t('limits.minOff')} units={times} />
          <AmountLine form={form} path="limits.starts_per_hour" label={t('limits.starts')} units={counts} />
          <AmountLine form={form} path="max_on_sec" label={t('limits.maxOn')} units={times} />
          <AmountLine form={form} path="max_pulse_sec_per_hour" label={t('limits.maxPulse')} units={times} />
          <AmountLine form={form} path="limits.sec_per_day" label={t('limits.timeADay')} units={times} />
          <AmountLine form={form} path="limits.ml_per_day" label={t('limits.amountADay')} units={volumes} />
          {form.values.limits.ml_per_day.on && (
            <TextInput
              className={classes['below'] ?? ''}
              label={t('limits.flow')}
              description={t('limits.flowHint')}
              inputMode="decimal"
              autoComplete="off"
              {...form.getInputProps('limits.ml_per_sec')}
            />
          )}
          <HoursFields
            values={form.values.limits.hours}
            onChange={(hours) => form.setFieldValue('limits.hours', hours)}
            errors={form.errors}
            path="limits.hours"
            devices={devices.filter(({ id }) => id !== device.id)}
          />
          <NeedsLine form={form} device={device} devices={devices} />
          <GroupChoice
            farmId={farmId}
            chosen={form.values.limits.groups}
            onChange={(groups) => form.setFieldValue('limits.groups', groups)}
            error={form.errors['limits.groups']}
          />
        </>
      )}
    </FormDialog>
  );
}

/** The paths of the form's amounts. */
type AmountPath =
  | `limits.${'min_on_sec' | 'min_off_sec' | 'starts_per_hour' | 'sec_per_day' | 'ml_per_day'}`
  | 'max_on_sec'
  | 'max_pulse_sec_per_hour';

interface AmountLineProps {
  form: Form;
  path: AmountPath;
  label: string;
  units: readonly Unit[];
}

function AmountLine({ form, path, label, units }: AmountLineProps) {
  const { t } = useTranslation();
  const { value, error } = form.getInputProps(path) as { value: Amount; error?: React.ReactNode };
  const set = (change: Partial<Amount>) => form.setFieldValue(path, { ...value, ...change });
  return (
    <div className={classes['line']} data-limit={path}>
      <span aria-hidden className={classes['label']}>
        {label}
      </span>
      <Switch
        on={value.on}
        word={t(value.on ? 'limits.yes' : 'limits.no')}
        label={label}
        onChange={() => set({ on: !value.on })}
      />
      {value.on && (
        <div className={classes['amount']}>
          <TextInput
            aria-label={label}
            inputMode="decimal"
            autoComplete="off"
            value={value.text}
            error={error}
            onChange={(event) => set({ text: event.currentTarget.value })}
          />
          {units.length > 1 ? (
            <NativeSelect
              aria-label={t('limits.unitOf', { limit: label })}
              value={value.unit}
              data={units.map((unit) => ({ value: unit, label: t(`limits.unit.${unit}`) }))}
              onChange={(event) => set({ unit: event.currentTarget.value as Unit })}
            />
          ) : (
            <span className={classes['unit']}>{t(`limits.unit.${value.unit}`)}</span>
          )}
        </div>
      )}
    </div>
  );
}

function NeedsLine({ form, device, devices }: { form: Form; device: Device; devices: readonly Device[] }) {
  const { t } = useTranslation();
  const id = useId();
  const { needs } = form.values.limits;
  const set = (change: Partial<typeof needs>) => form.setFieldValue('limits.needs', { ...needs, ...change });
  const near = devices.filter(
    ({ id: other, type, scope }) =>
      needs.any.includes(other) ||
      (other !== device.id &&
        type !== 'sensor' &&
        (device.scope.type === 'farm' ||
          scope.type === 'farm' ||
          scope.polyhouseId === device.scope.polyhouseId)),
  );
  const toggle = (other: string) => {
    form.clearFieldError('limits.needs.any');
    const any = needs.any.includes(other) ? needs.any.filter((one) => one !== other) : [...needs.any, other];
    set({ any });
  };
  const error = form.errors['limits.needs.any'] ?? form.errors['limits.needs'];
  const label = t('limits.needs');
  return (
    <div className={classes['line']} data-limit="limits.needs">
      <span aria-hidden className={classes['label']}>
        {label}
      </span>
      <Switch
        on={needs.on}
        word={t(needs.on ? 'limits.yes' : 'limits.no')}
        label={label}
        onChange={() => set({ on: !needs.on })}
      />
      {needs.on && (
        <fieldset className={classes['choice']} aria-describedby={error ? id : undefined}>
          <legend>{t('limits.needsAny')}</legend>
          <div className={classes['chips']}>
            {near.map(({ id: other, name }) => (
              <button
                key={other}
                type="button"
                aria-pressed={needs.any.includes(other)}
                onClick={() => toggle(other)}
              >
                {name}
              </button>
            ))}
          </div>
          {error && (
            <p id={id} className={classes['error']} data-wrong tabIndex={-1}>
              {error}
            </p>
          )}
          <TextInput
            label={t('limits.needsFor')}
            inputMode="numeric"
            autoComplete="off"
            {...form.getInputProps('limits.needs.for_sec')}
          />
        </fieldset>
      )}
    </div>
  );
}
