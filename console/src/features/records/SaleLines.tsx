// The lines of a sale in its form, with what each and all of them come to.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { useFormat } from '../../i18n/format';
import { FieldInput } from './FieldInput';
import type { OwnFieldProps } from './field';
import classes from './Sales.module.css';
import { another, lineAmount, lineFields, MAX_LINES, type TypedLine, total } from './sale-lines';

export function SaleLines({ form, farmId, name, label }: OwnFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const lines = form.values[name] as TypedLine[];
  const problem = form.errors[name];
  return (
    <section className={classes['lines']} aria-label={label}>
      {lines.map((line, nth) => {
        const comesTo = lineAmount(line);
        return (
          <fieldset key={line.key} className={classes['line']}>
            <legend>{t('sales.nth', { nth: format.count(nth + 1) })}</legend>
            {lineFields.map((field) => (
              <FieldInput
                key={field.name}
                field={{ ...field, name: `${name}.${nth}.${field.name}` }}
                form={form}
                farmId={farmId}
              />
            ))}
            <div className={classes['foot']}>
              <span>{comesTo !== undefined && format.paise(comesTo)}</span>
              {lines.length > 1 && (
                <Button
                  variant="subtle"
                  color="var(--h-bad)"
                  leftSection={<Remove size={20} aria-hidden />}
                  aria-label={t('sales.removeNth', { nth: format.count(nth + 1) })}
                  onClick={() => form.removeListItem(name, nth)}
                >
                  {t('sales.remove')}
                </Button>
              )}
            </div>
          </fieldset>
        );
      })}
      {lines.length < MAX_LINES && (
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          onClick={() => form.insertListItem(name, another(lines))}
        >
          {t('sales.addLine')}
        </Button>
      )}
      {problem && <p className={classes['problem']}>{problem}</p>}
      <p className={classes['total']} role="status">
        {t('sales.totalOf', { total: format.paise(total(lines)) })}
      </p>
    </section>
  );
}
