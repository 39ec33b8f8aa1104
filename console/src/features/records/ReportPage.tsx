// What the records come to, by month and by crop. The server adds it up.
import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Download from '~icon/Download';
import { answer, api } from '../../api/client';
import type { FarmPageProps } from '../../api/farms';
import { keys } from '../../api/keys';
import { useFormat } from '../../i18n/format';
import { QueryState } from '../../screen/QueryState';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { Empty } from '../../ui/Empty';
import { PageLayout } from '../../ui/PageLayout';
import { money, words } from './column';
import { csv, download } from './csv';
import type { Column, Schemas } from './kind';
import classes from './Records.module.css';

type Month = Schemas['MonthReport'];
type Cycle = Schemas['CycleReport'];

const weights = {
  a: 'records.gradeA',
  b: 'records.gradeB',
  c: 'records.gradeC',
  waste: 'records.gradeWaste',
} as const;

/** What was picked, by grade. */
function harvested<T extends Month | Cycle>(): Column<T>[] {
  return Object.entries(weights).map(([grade, label]) => {
    const kg = ({ harvestedKg }: T) => harvestedKg[grade as keyof typeof weights];
    return {
      label,
      text: (row, { t, format }) =>
        kg(row) === 0
          ? null
          : t('records.withUnit', { value: format.quantity(kg(row)), unit: t('unitName.KG') }),
      plain: kg,
    };
  });
}

const months: Column<Month>[] = [
  {
    label: 'report.monthOf',
    text: ({ month }, { format }) => format.month(month),
    plain: ({ month }) => month,
  },
  ...harvested<Month>(),
  money('report.sold', ({ soldPaise }) => soldPaise),
  money('sales.paid', ({ paidPaise }) => paidPaise),
  money('report.spent', ({ spentPaise }) => spentPaise),
  money('report.bought', ({ boughtPaise }) => boughtPaise),
  money('report.profit', ({ profitPaise }) => profitPaise),
];
const cycles: Column<Cycle>[] = [
  words('records.cycle', ({ cycle }) => cycle),
  words('records.zone', ({ zone }) => zone),
  ...harvested<Cycle>(),
  money('report.sold', ({ soldPaise }) => soldPaise),
  money('report.spent', ({ spentPaise }) => spentPaise),
];

const spans = { 365: 'records.year', 0: 'records.all' } as const;
const DAY_MS = 86_400_000;

export default function ReportPage({ farmId }: FarmPageProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [days, setDays] = useState('365');
  const from = days === '0' ? undefined : format.isoDay(new Date(Date.now() - Number(days) * DAY_MS));
  const query = useQuery({
    queryKey: [...keys.records(farmId), 'report', from ?? ''],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/report', { params: { path: { farmId }, query: from ? { from } : {} } }),
      ),
  });
  return (
    <PageLayout
      title={t('nav.reports')}
      busy={query.isPending}
      actions={
        <NativeSelect
          aria-label={t('records.span')}
          value={days}
          onChange={({ currentTarget }) => setDays(currentTarget.value)}
          data={Object.entries(spans).map(([value, label]) => ({ value, label: t(label) }))}
        />
      }
    >
      <QueryState query={query} failed={t('records.loadFailed')}>
        {(report) =>
          report.months.length === 0 ? (
            <Empty>{t('report.none')}</Empty>
          ) : (
            <>
              <Sums id="months" title={t('report.byMonth')} columns={months} rows={report.months} />
              <Sums id="crops" title={t('report.byCycle')} columns={cycles} rows={report.cycles} />
            </>
          )
        }
      </QueryState>
    </PageLayout>
  );
}

interface SumsProps<T> {
  id: string;
  title: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
}

function Sums<T>({ id, title, columns, rows }: SumsProps<T>) {
  const { t } = useTranslation();
  const format = useFormat();
  if (rows.length === 0) return null;
  const say = { t, format };
  return (
    <section className={classes['part']} aria-labelledby={id}>
      <header className={classes['head']}>
        <h2 id={id}>{title}</h2>
        <Button
          variant="default"
          leftSection={<Download size={20} aria-hidden />}
          onClick={() => download(`${id}.csv`, csv(rows, columns, say))}
        >
          {t('records.export')}
        </Button>
      </header>
      <CardTable className={classes['table']} columns={columns.map(({ label }) => t(label))}>
        {rows.map((row) => (
          <CardRow key={columns[0]?.plain?.(row) ?? JSON.stringify(row)}>
            {columns.map(({ label, text }) => (
              <CardCell key={label} label={t(label)} empty={text(row, say) === null}>
                {text(row, say) ?? t('records.blank')}
              </CardCell>
            ))}
          </CardRow>
        ))}
      </CardTable>
    </section>
  );
}
