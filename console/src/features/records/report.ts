// The report: what a period came to, by month and by crop cycle.
import { queryOptions } from '@tanstack/react-query';
import type { ParseKeys } from 'i18next';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import { money, words } from './column';
import type { Column, Schemas } from './kind';

type Month = Schemas['MonthReport'];
type Cycle = Schemas['CycleReport'];
type Grades = Schemas['GradesKg'];

/** Kilograms of a grade; none where nothing was picked of it. */
function kg<T extends { harvestedKg: Grades }>(label: ParseKeys, grade: keyof Grades): Column<T> {
  return {
    label,
    text: ({ harvestedKg }, { format }) =>
      harvestedKg[grade] > 0 ? format.quantity(harvestedKg[grade]) : null,
    plain: ({ harvestedKg }) => harvestedKg[grade],
  };
}

const harvested = <T extends { harvestedKg: Grades }>() => [
  kg<T>('report.kgA', 'a'),
  kg<T>('report.kgB', 'b'),
  kg<T>('report.kgC', 'c'),
  kg<T>('report.kgWaste', 'waste'),
];

export const months: readonly Column<Month>[] = [
  {
    label: 'report.month',
    lead: true,
    short: true,
    // The sum of all months has none.
    text: ({ month }, { t, format }) => (month ? format.month(month) : t('report.total')),
    plain: ({ month }) => month,
  },
  ...harvested<Month>(),
  money('report.sold', ({ soldPaise }) => soldPaise),
  money('report.paid', ({ paidPaise }) => paidPaise),
  money('report.spent', ({ spentPaise }) => spentPaise),
  money('report.bought', ({ boughtPaise }) => boughtPaise),
  money('report.profit', ({ profitPaise }) => profitPaise),
];

export const cycles: readonly Column<Cycle>[] = [
  { ...words('records.cycle', ({ cycle }: Cycle) => cycle), lead: true },
  words('records.zone', ({ zone }) => zone),
  ...harvested<Cycle>(),
  money('report.sold', ({ soldPaise }) => soldPaise),
  money('report.spent', ({ spentPaise }) => spentPaise),
];

/** What all months come to. */
export function totalOf(all: readonly Month[]): Month {
  const sum = (get: (month: Month) => number) => all.reduce((so, month) => so + get(month), 0);
  const kgOf = (grade: keyof Grades) => sum(({ harvestedKg }) => harvestedKg[grade]);
  return {
    month: '',
    harvestedKg: { a: kgOf('a'), b: kgOf('b'), c: kgOf('c'), waste: kgOf('waste') },
    soldPaise: sum(({ soldPaise }) => soldPaise),
    paidPaise: sum(({ paidPaise }) => paidPaise),
    spentPaise: sum(({ spentPaise }) => spentPaise),
    boughtPaise: sum(({ boughtPaise }) => boughtPaise),
    profitPaise: sum(({ profitPaise }) => profitPaise),
  };
}

export const periods = { months: 'records.year', year: 'report.financialYear', all: 'records.all' } as const;
export type PeriodName = keyof typeof periods;

/** The month in which the financial year begins in India. */
const APRIL = 4;

/** The days of a period: both are in it. Twelve months are whole ones, this one among them. */
export function daysOf(period: PeriodName, today: string): { from?: string; to?: string } {
  if (period === 'all') return {};
  const [year = 0, month = 1] = today.split('-').map(Number);
  if (period === 'year') {
    const began = month < APRIL ? year - 1 : year;
    return { from: `${began}-04-01`, to: `${began + 1}-03-31` };
  }
  const from = new Date(Date.UTC(year, month - 12, 1)).toISOString().slice(0, 10);
  return { from, to: today };
}

export function reportQuery(farmId: string, query: { from?: string; to?: string }) {
  return queryOptions({
    queryKey: [...keys.records(farmId), 'report', query.from ?? '', query.to ?? ''],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/report', { params: { path: { farmId }, query } })),
  });
}
