import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FarmPageProps } from '../../api/farms';
import { useFormat } from '../../i18n/format';
import { QueryState } from '../../screen/QueryState';
import { Empty } from '../../ui/Empty';
import { PageLayout } from '../../ui/PageLayout';
import { ReportTable } from './ReportTable';
import { cycles, daysOf, months, type PeriodName, periods, reportQuery, totalOf } from './report';

export default function ReportPage({ farmId }: FarmPageProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [period, setPeriod] = useState<PeriodName>('months');
  const query = useQuery(reportQuery(farmId, daysOf(period, format.isoDay(new Date()))));
  return (
    <PageLayout
      title={t('nav.reports')}
      busy={query.isPending}
      actions={
        <NativeSelect
          aria-label={t('records.span')}
          value={period}
          onChange={({ currentTarget }) => setPeriod(currentTarget.value as PeriodName)}
          data={Object.entries(periods).map(([value, label]) => ({ value, label: t(label) }))}
        />
      }
    >
      <QueryState query={query} failed={t('records.loadFailed')}>
        {(report) => (
          <>
            {report.months.length === 0 && <Empty>{t('report.none')}</Empty>}
            <ReportTable
              name="by-month"
              title={t('report.byMonth')}
              hint={t('report.profitHint')}
              columns={months}
              rows={report.months}
              idOf={({ month }) => month}
              total={totalOf(report.months)}
            />
            <ReportTable
              name="by-crop"
              title={t('report.byCycle')}
              hint={t('report.cycleHint')}
              columns={cycles}
              rows={report.cycles}
              idOf={({ cycleId }) => cycleId}
            />
          </>
        )}
      </QueryState>
    </PageLayout>
  );
}
