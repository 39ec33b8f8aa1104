// The lines of a sale in a form, with what they come to while they are typed.
import { Button, Fieldset, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { useFormat } from '../../i18n/format';
import { useCycles } from './chosen';
import type { OwnFieldProps } from './field';
import { grades } from './harvests';
import classes from './Lines.module.css';
import { emptyLine, type TypedLine, totalOf } from './lines';
import { rupees } from './money';
import { type Unit, units } from './unit';

export function LinesField({ form, farmId, name, label }: OwnFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const cycles = useCycles(farmId);
  const lines = form.getValues()[name] as TypedLine[];
  const set = (change: TypedLine[]) => {
    form.clearErrors();
    form.setFieldValue(name, change);
  };
  const edit = (at: number, change: Partial<TypedLine>) =>
    set(lines.map((line, i) => (i === at ? { ...line, ...change } : line)));
  const total = totalOf(lines);
  return (
    <Fieldset legend={label} className={classes['lines']}>
      {form.errors[name] && <p className={classes['error']}>{form.errors[name]}</p>}
      {lines.map((line, i) => {
        const error = (field: string) => form.errors[`lines[${i}].${field}`];
        return (
          <div key={line.key} className={classes['line']}>
            <div className={classes['wide']}>
              <TextInput
                label={t('sales.what')}
                value={line.what}
                onChange={({ currentTarget }) => edit(i, { what: currentTarget.value })}
                error={error('what')}
              />
              <NativeSelect
                label={t('harvests.grade')}
                value={line.grade}
                onChange={({ currentTarget }) =>
                  edit(i, { grade: currentTarget.value as TypedLine['grade'] })
                }
                data={[
                  { value: '', label: t('sales.noGrade') },
                  ...Object.entries(grades).map(([value, grade]) => ({ value, label: t(grade) })),
                ]}
              />
            </div>
            <div className={classes['three']}>
              <TextInput
                label={t('sales.quantity')}
                inputMode="decimal"
                value={line.quantity}
                onChange={({ currentTarget }) => edit(i, { quantity: currentTarget.value })}
                error={error('quantity')}
              />
              <NativeSelect
                label={t('sales.unit')}
                value={line.unit}
                onChange={({ currentTarget }) => edit(i, { unit: currentTarget.value as Unit })}
                data={Object.entries(units).map(([value, unit]) => ({ value, label: t(unit) }))}
              />
              <TextInput
                label={t('sales.price')}
                inputMode="decimal"
                leftSection={t('records.rupeeSign')}
                value={line.price}
                onChange={({ currentTarget }) => edit(i, { price: currentTarget.value })}
                error={error('pricePaise')}
              />
            </div>
            <div className={classes['tools']}>
              <NativeSelect
                aria-label={t('records.cycle')}
                value={line.cycleId}
                onChange={({ currentTarget }) => edit(i, { cycleId: currentTarget.value })}
                data={[
                  { value: '', label: t('sales.noCycle') },
                  ...cycles.map(({ value, label: cycle }) => ({ value, label: cycle })),
                ]}
              />
              {lines.length > 1 && (
                <Button
                  variant="subtle"
                  color="var(--h-bad)"
                  aria-label={t('sales.removeLine', { name: line.what })}
                  onClick={() => set(lines.filter((_, k) => k !== i))}
                >
                  <Remove size={20} aria-hidden />
                </Button>
              )}
            </div>
          </div>
        );
      })}
      <div className={classes['tools']}>
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          onClick={() => set([...lines, emptyLine()])}
        >
          {t('sales.addLine')}
        </Button>
        <Button variant="default" onClick={() => form.setFieldValue('paidPaise', rupees(total))}>
          {t('sales.allPaid')}
        </Button>
        <strong>
          {t('sales.total')} {format.paise(total)}
        </strong>
      </div>
    </Fieldset>
  );
}
