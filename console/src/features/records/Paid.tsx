// How much of a sale is paid, in its form.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { FieldInput } from './FieldInput';
import type { OwnFieldProps } from './field';
import { rupees } from './money';
import classes from './Sales.module.css';
import { paidField, type TypedLine, total } from './sale-lines';

export function Paid({ form, farmId, name }: OwnFieldProps) {
  const { t } = useTranslation();
  const pay = () => form.setFieldValue(name, rupees(total(form.values['lines'] as TypedLine[])));
  return (
    <div className={classes['paid']}>
      <FieldInput field={paidField} form={form} farmId={farmId} />
      <Button variant="default" onClick={pay}>
        {t('sales.allPaid')}
      </Button>
    </div>
  );
}
