// The reservoirs of the farm and how full they are (spec 2.16).
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import { api, ifMatch } from '../../api/client';
import type { FarmPageProps } from '../../api/farms';
import { reservoirsQuery } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { useDialog } from '../../screen/useDialog';
import { AsOf } from '../../ui/AsOf';
import { CardList } from '../../ui/CardList';
import { PageLayout } from '../../ui/PageLayout';
import type { Reservoir } from './queries';
import { ReservoirCard } from './ReservoirCard';
import { ReservoirForm } from './ReservoirForm';

export default function Reservoirs({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const query = useQuery(reservoirsQuery(farmId));
  const { asOf } = useVerdictWords();
  const { ask } = useAction(farmId);
  const dialog = useDialog();
  const edited = query.data?.find(({ id }) => id === dialog.editId);
  const count = query.data?.length;
  const remove = (reservoir: Reservoir) =>
    ask({
      question: t('places.confirmDeleteReservoir'),
      failed: t('places.deleteReservoirFailed'),
      call: () =>
        api.DELETE('/api/farms/{farmId}/reservoirs/{reservoirId}', {
          params: { path: { farmId, reservoirId: reservoir.id } },
          headers: ifMatch(reservoir),
        }),
    });
  return (
    <PageLayout
      title={t('places.reservoirs')}
      about={count !== undefined && t('places.reservoirCount', { count, number: format.count(count) })}
      busy={query.isPending}
      actions={
        writes && (
          <Button leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
            {t('places.addReservoir')}
          </Button>
        )
      }
    >
      <QueryState
        query={query}
        failed={t('places.reservoirsFailed')}
        empty={t(writes ? 'places.noReservoirsHint' : 'places.noReservoirs')}
      >
        {(reservoirs) => (
          <AsOf value={asOf(query)}>
            <CardList>
              {reservoirs.map((reservoir) => (
                <ReservoirCard
                  key={reservoir.id}
                  reservoir={reservoir}
                  writes={writes}
                  onEdit={() => dialog.edit(reservoir.id)}
                  onDelete={() => remove(reservoir)}
                />
              ))}
            </CardList>
          </AsOf>
        )}
      </QueryState>
      <ReservoirForm
        farmId={farmId}
        opened={writes && (dialog.isNew || edited !== undefined)}
        reservoir={edited}
        onClose={dialog.close}
      />
    </PageLayout>
  );
}
