// Says how much there is of the item that is chosen, and so in what it is counted.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { itemCalls } from './chosen';
import type { Values } from './field';
import { recordsQuery } from './kind';
import { units } from './units';

export function StockNow({ values, farmId }: { values: Values; farmId: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data = [] } = useQuery(recordsQuery(farmId, itemCalls));
  const item = data.find(({ id }) => id === values['itemId']);
  if (!item) return null;
  const unit = units[item.unit];
  const stock = t('records.withUnit', {
    value: format.quantity(item.stock),
    unit: t(unit, { count: item.stock }),
  });
  return t('stock.now', { unit: t(unit), stock });
}
