// Sales: what a buyer took, at which price, and how much of it is paid.
import { day, money, words } from './column';
import { grades } from './grades';
import { type Column, calls, type Kind, type Say, type Schemas } from './kind';
import { pill } from './pill';
import { recordsPage } from './Records';
import { AllPaid, LineSum, Total } from './SaleSums';
import classes from './Sales.module.css';
import { beginLine, lineFields } from './sale-lines';
import { units } from './units';

type Sale = Schemas['Sale'];
type SaleLine = Schemas['SaleLine'];

const states = {
  UNPAID: { tone: 'bad', word: 'sales.unpaid' },
  PARTLY_PAID: { tone: 'warn', word: 'sales.partlyPaid' },
  PAID: { tone: 'good', word: 'sales.paidAll' },
} as const;

/** A line in words. */
function lineText({ what, grade, quantity, unit, pricePaise }: SaleLine, { t, format }: Say): string {
  const said = {
    quantity: t('records.withUnit', {
      value: format.quantity(quantity),
      unit: t(units[unit], { count: quantity }),
    }),
    what,
    price: format.paise(pricePaise),
  };
  return grade ? t('sales.lineOfGrade', { ...said, grade: t(grades[grade]) }) : t('sales.line', said);
}

const lines: Column<Sale> = {
  label: 'sales.lines',
  text: (sale, say) => sale.lines.map((line) => lineText(line, say)).join('; '),
  show: (sale, say) => (
    <ul className={classes['said']}>
      {sale.lines.map((line, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else that tells them apart
        <li key={nth}>{lineText(line, say)}</li>
      ))}
    </ul>
  ),
};

export const sales: Kind<Sale> = {
  list: 'sales',
  calls: calls('/api/farms/{farmId}/sales', '/api/farms/{farmId}/sales/{saleId}', 'saleId'),
  title: 'nav.orders',
  add: 'sales.add',
  edit: 'sales.edit',
  hint: 'sales.hint',
  dated: true,
  name: ({ buyer, soldOn }, { format }) => format.list([buyer, format.shortDay(soldOn)]),
  columns: [
    day('records.day', ({ soldOn }) => soldOn),
    { ...words('sales.buyer', ({ buyer }: Sale) => buyer), lead: true },
    lines,
    money('sales.total', ({ totalPaise }) => totalPaise),
    money('sales.paid', ({ paidPaise }) => paidPaise),
    pill('sales.state', ({ state }) => state, states),
    words('records.note', ({ note }) => note),
  ],
  fields: [
    { kind: 'line', name: 'buyer', label: 'sales.buyer', required: true },
    { kind: 'day', name: 'soldOn', label: 'records.day', required: true, today: true },
    {
      kind: 'list',
      name: 'lines',
      label: 'sales.lines',
      fields: lineFields,
      least: 1,
      most: 50,
      begin: beginLine,
      nth: 'sales.nth',
      add: 'sales.addLine',
      removeNth: 'sales.removeNth',
      sum: LineSum,
      after: Total,
    },
    { kind: 'rupees', name: 'paidPaise', label: 'sales.paid', after: AllPaid },
    { kind: 'lines', name: 'note', label: 'records.note' },
  ],
};

export default recordsPage(sales);
