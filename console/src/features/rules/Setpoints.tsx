// The farm's setpoints: named targets with a course over the day, and which rules go by them.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import { api, ifMatch } from '../../api/client';
import type { FarmPageProps } from '../../api/farms';
import { polyhousesQuery, setpointsQuery } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { useDialog } from '../../screen/useDialog';
import { AsOf } from '../../ui/AsOf';
import { CardList } from '../../ui/CardList';
import { PageLayout } from '../../ui/PageLayout';
import type { Setpoint } from './queries';
import { SetpointCard } from './SetpointCard';
import { SetpointForm } from './SetpointForm';

export default function Setpoints({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const query = useQuery(setpointsQuery(farmId));
  const houses = useQuery(polyhousesQuery(farmId)).data ?? [];
  const { asOf } = useVerdictWords();
  const { ask } = useAction(farmId);
  const dialog = useDialog();
  const edited = query.data?.find(({ id }) => id === dialog.editId);
  const count = query.data?.length;
  const remove = (setpoint: Setpoint) =>
    ask({
      question: t('rules.setpoint.confirmDelete', { name: setpoint.name }),
      failed: t('rules.setpoint.deleteFailed'),
      call: () =>
        api.DELETE('/api/farms/{farmId}/setpoints/{setpointId}', {
          params: { path: { farmId, setpointId: setpoint.id } },
          headers: ifMatch(setpoint),
        }),
    });
  return (
    <PageLayout
      title={t('nav.setpoints')}
      about={count !== undefined && t('rules.setpoint.count', { count, value: format.count(count) })}
      busy={query.isPending}
      actions={
        writes && (
          <Button leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
            {t('rules.setpoint.add')}
          </Button>
        )
      }
    >
      <QueryState
        query={query}
        failed={t('rules.setpoint.failed')}
        empty={t(writes ? 'rules.setpoint.noneHint' : 'rules.setpoint.none')}
      >
        {(setpoints) => (
          <AsOf value={asOf(query)}>
            <CardList>
              {setpoints.map((setpoint) => (
                <SetpointCard
                  key={setpoint.id}
                  farmId={farmId}
                  setpoint={setpoint}
                  houses={houses}
                  writes={writes}
                  onEdit={() => dialog.edit(setpoint.id)}
                  onDelete={() => remove(setpoint)}
                />
              ))}
            </CardList>
          </AsOf>
        )}
      </QueryState>
      <SetpointForm
        farmId={farmId}
        opened={writes && (dialog.isNew || edited !== undefined)}
        setpoint={edited}
        houses={houses}
        onClose={dialog.close}
      />
    </PageLayout>
  );
}
