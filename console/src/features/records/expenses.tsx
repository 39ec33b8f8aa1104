// Expenses: what the farm paid for, other than what went into the store.
import { choice, day, money, words } from './column';
import { calls, type Kind, type Schemas } from './kind';
import { recordsPage } from './Records';

type Expense = Schemas['Expense'];

const categories = {
  LABOUR: 'expenses.labour',
  ELECTRICITY: 'expenses.electricity',
  WATER: 'expenses.water',
  TRANSPORT: 'expenses.transport',
  REPAIR: 'expenses.repair',
  RENT: 'expenses.rent',
  LOAN: 'expenses.loan',
  INPUT: 'expenses.input',
  OTHER: 'expenses.other',
} as const;

export const expenses: Kind<Expense> = {
  list: 'expenses',
  calls: calls('/api/farms/{farmId}/expenses', '/api/farms/{farmId}/expenses/{expenseId}', 'expenseId'),
  title: 'nav.expenses',
  add: 'expenses.add',
  edit: 'expenses.edit',
  hint: 'expenses.hint',
  dated: true,
  name: ({ what }) => what,
  columns: [
    day('records.day', ({ spentOn }) => spentOn),
    { ...words('expenses.what', ({ what }: Expense) => what), lead: true },
    choice('expenses.category', ({ category }) => category, categories),
    money('expenses.amount', ({ amountPaise }) => amountPaise),
    words('records.cycle', ({ cycle }) => cycle),
    words('records.note', ({ note }) => note),
  ],
  fields: [
    { kind: 'line', name: 'what', label: 'expenses.what', required: true },
    { kind: 'choice', name: 'category', label: 'expenses.category', options: categories, required: true },
    { kind: 'day', name: 'spentOn', label: 'records.day', required: true, today: true },
    { kind: 'rupees', name: 'amountPaise', label: 'expenses.amount', required: true },
    { kind: 'cycle', name: 'cycleId', label: 'records.cycle' },
    { kind: 'lines', name: 'note', label: 'records.note' },
  ],
};

export default recordsPage(expenses);
