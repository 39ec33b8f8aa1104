// What a sale comes to in its form: a line, all of them, and the button for a buyer who paid it all.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import type { BesideProps, Line } from './field';
import { rupees } from './money';
import classes from './Sales.module.css';
import { lineAmount, total } from './sale-lines';

export function LineSum({ line }: { line: Line }) {
  const format = useFormat();
  const comesTo = lineAmount(line);
  return comesTo === undefined ? null : format.paise(comesTo);
}

export function Total({ form, name }: BesideProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <p className={classes['total']} role="status">
      {t('sales.totalOf', { total: format.paise(total(form.values[name] as Line[])) })}
    </p>
  );
}

export function AllPaid({ form, name }: BesideProps) {
  const { t } = useTranslation();
  const pay = () => form.setFieldValue(name, rupees(total(form.values['lines'] as Line[])));
  return (
    <Button variant="default" onClick={pay}>
      {t('sales.allPaid')}
    </Button>
  );
}
