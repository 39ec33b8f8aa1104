// What was sent to whom, by which way, and what came back; and a message to oneself, to see whether a way works.
import { Skeleton } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import type { FarmPageProps } from '../../api/farms';
import { keys } from '../../api/keys';
import { QueryState } from '../../screen/QueryState';
import { PageLayout } from '../../ui/PageLayout';
import { MessageTable } from './MessageTable';
import { Months } from './Months';
import { Ways } from './Ways';

/** No live message tells of it. */
const RELOAD_MS = 5_000;

function deliveriesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.deliveries(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/deliveries', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

export default function Deliveries({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const query = useQuery(deliveriesQuery(farmId));
  return (
    <PageLayout title={t('nav.deliveries')} about={t('deliveries.about')}>
      <QueryState query={query} failed={t('deliveries.failed')} shape={<Skeleton height={240} radius="md" />}>
        {({ channels, messages, months }) => (
          <>
            <Ways farmId={farmId} channels={channels} writes={writes} />
            <Months months={months} />
            <MessageTable messages={messages} />
          </>
        )}
      </QueryState>
    </PageLayout>
  );
}
