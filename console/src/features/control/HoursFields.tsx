// When machines may run: the roster of who supplies power, and what must be seen beside.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { weekdays } from '../../i18n/domain';
import type { Device } from '../../screen/device';
import { Chips } from '../../ui/Chips';
import { Switch } from '../../ui/Switch';
import { type HoursRow, type HoursValues, newRow } from './hours';
import classes from './Limits.module.css';

/** Any leap year: a roster has no year, and its dates may be the 29th of February. */
const YEAR = '2024';
/** As many windows as fit into a tree with what stands beside them. */
const MAX_ROWS = 10;

interface Props {
  values: HoursValues;
  onChange: (values: HoursValues) => void;
  /** Of the form, and where in it these stand. */
  errors: Record<string, React.ReactNode>;
  path: string;
  /** Those that may be seen to be on. */
  devices: readonly Device[];
}

export function HoursFields({ values, onChange, errors, path, devices }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const set = (change: Partial<HoursValues>) => onChange({ ...values, ...change });
  const label = t('limits.hours.label');
  const error = (field: string) => errors[`${path}.${field}`];
  const wrong = error('rows') ?? error('while') ?? errors[path];
  return (
    <div className={classes['line']} data-limit={path}>
      <span aria-hidden className={classes['label']}>
        {label}
      </span>
      <Switch
        on={values.on}
        word={t(values.on ? 'limits.yes' : 'limits.no')}
        label={label}
        onChange={() => set({ on: !values.on })}
      />
      {values.on && (
        <fieldset className={classes['choice']} aria-describedby={wrong ? id : undefined}>
          <legend>{t('limits.hours.roster')}</legend>
          {values.other ? (
            <p>{t('limits.hours.other')}</p>
          ) : (
            <>
              {values.rows.map((row, nth) => (
                <Row
                  // biome-ignore lint/suspicious/noArrayIndexKey: rows have nothing else by which they are known
                  key={nth}
                  row={row}
                  number={nth + 1}
                  error={error(`rows.${nth}`)}
                  onChange={(changed) => set({ rows: values.rows.with(nth, changed) })}
                  onRemove={() => set({ rows: values.rows.toSpliced(nth, 1) })}
                />
              ))}
              {values.rows.length < MAX_ROWS && (
                <div className={classes['chips']}>
                  <button type="button" onClick={() => set({ rows: [...values.rows, newRow()] })}>
                    <Add size={18} aria-hidden /> {t('limits.hours.add')}
                  </button>
                  <button
                    type="button"
                    aria-pressed={values.phases}
                    onClick={() => set({ phases: !values.phases })}
                  >
                    {t('limits.hours.phases')}
                  </button>
                </div>
              )}
              <NativeSelect
                label={t('limits.hours.device')}
                value={values.device}
                data={[
                  { value: '', label: t('limits.hours.noDevice') },
                  ...devices.map((device) => ({ value: device.id, label: device.name })),
                ]}
                onChange={(event) => set({ device: event.currentTarget.value })}
              />
            </>
          )}
          {wrong && (
            <p id={id} className={classes['error']} data-wrong tabIndex={-1}>
              {wrong}
            </p>
          )}
          <Chips
            label={t('limits.hours.unknown')}
            values={['hold', 'allow'] as const}
            told={(value) => t(`limits.hours.unknowns.${value}`)}
            chosen={values.if_unknown || undefined}
            onChoose={(if_unknown) => set({ if_unknown })}
          />
          {error('if_unknown') && (
            <p className={classes['error']} data-wrong tabIndex={-1}>
              {error('if_unknown')}
            </p>
          )}
          <TextInput
            label={t('limits.hours.for')}
            inputMode="numeric"
            autoComplete="off"
            value={values.for_sec}
            error={error('for_sec')}
            onChange={(event) => set({ for_sec: event.currentTarget.value })}
          />
        </fieldset>
      )}
    </div>
  );
}

interface RowProps {
  row: HoursRow;
  number: number;
  error: React.ReactNode;
  onChange: (row: HoursRow) => void;
  onRemove: () => void;
}

function Row({ row, number, error, onChange, onRemove }: RowProps) {
  const { t } = useTranslation();
  const set = (change: Partial<HoursRow>) => onChange({ ...row, ...change });
  const isDated = row.first !== '' || row.last !== '';
  const field = (key: 'from' | 'to' | 'first' | 'last') => {
    const isDate = key === 'first' || key === 'last';
    const value = row[key];
    return (
      <TextInput
        type={isDate ? 'date' : 'time'}
        label={t(`limits.hours.${key}`)}
        value={isDate && value ? `${YEAR}-${value}` : value}
        onChange={({ currentTarget }) => set({ [key]: currentTarget.value.slice(isDate ? 5 : 0) })}
      />
    );
  };
  return (
    <fieldset className={classes['window']} data-wrong={error ? true : undefined}>
      <legend>{t('limits.hours.window', { number })}</legend>
      <Chips
        label={t('limits.hours.days')}
        values={weekdays}
        told={(day) => t(`domain.program.weekday.${day}`)}
        chosen={row.days}
        onChoose={(day) =>
          set({ days: row.days.includes(day) ? row.days.filter((one) => one !== day) : [...row.days, day] })
        }
      />
      <div className={classes['amount']}>
        {field('from')}
        {field('to')}
        {isDated && field('first')}
        {isDated && field('last')}
      </div>
      {error && <p className={classes['error']}>{error}</p>}
      <div className={classes['chips']}>
        <button
          type="button"
          aria-pressed={isDated}
          onClick={() => set(isDated ? { first: '', last: '' } : { first: '01-01', last: '12-31' })}
        >
          {t('limits.hours.dated')}
        </button>
        <Button
          variant="subtle"
          color="var(--h-bad)"
          leftSection={<Remove size={20} aria-hidden />}
          onClick={onRemove}
        >
          {t('limits.hours.remove', { number })}
        </Button>
      </div>
    </fieldset>
  );
}
