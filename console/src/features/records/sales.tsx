// Sales: what a buyer took at which price, and how much of it is paid.
import { day, money, words } from './column';
import { calls, type Kind, type Schemas } from './kind';
import { LinesField } from './LinesField';
import { firstLines, wireLines, wrongLines } from './lines';
import { Pill } from './Pill';
import { units } from './unit';

type Sale = Schemas['Sale'];

const states = {
  UNPAID: { tone: 'bad', word: 'sales.UNPAID' },
  PARTLY_PAID: { tone: 'warn', word: 'sales.PARTLY_PAID' },
  PAID: { tone: 'good', word: 'sales.PAID' },
} as const;

export const sales: Kind<Sale> = {
  list: 'sales',
  calls: calls('/api/farms/{farmId}/sales', '/api/farms/{farmId}/sales/{saleId}', 'saleId'),
  title: 'nav.orders',
  add: 'sales.add',
  edit: 'sales.edit',
  hint: 'sales.hint',
  dated: true,
  name: ({ buyer }) => buyer,
  columns: [
    day('records.day', ({ soldOn }) => soldOn),
    words('sales.buyer', ({ buyer }) => buyer),
    {
      label: 'sales.lines',
      text: ({ lines }, { t, format }) =>
        lines
          .map(({ what, grade, quantity, unit, pricePaise }) =>
            t('sales.line', {
              quantity: t('records.withUnit', { value: format.quantity(quantity), unit: t(units[unit]) }),
              what: grade ? t('sales.graded', { what, grade }) : what,
              price: format.paise(pricePaise),
            }),
          )
          .join('; '),
    },
    money('sales.total', ({ totalPaise }) => totalPaise),
    money('sales.paid', ({ paidPaise }) => paidPaise),
    {
      label: 'sales.state',
      text: ({ state }, { t }) => t(states[state].word),
      show: ({ state }) => <Pill {...states[state]} />,
    },
    words('records.note', ({ note }) => note),
  ],
  fields: [
    { kind: 'line', name: 'buyer', label: 'sales.buyer', required: true },
    { kind: 'day', name: 'soldOn', label: 'records.day', required: true, today: true },
    {
      kind: 'own',
      name: 'lines',
      label: 'sales.lines',
      component: LinesField,
      first: firstLines,
      wire: wireLines,
      wrong: wrongLines,
    },
    { kind: 'rupees', name: 'paidPaise', label: 'sales.paid' },
    { kind: 'lines', name: 'note', label: 'records.note' },
  ],
};
