// The sensors whose values follow from others: what each says now, and what it is made of.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Add from '~icon/Plus';
import { api, ifMatch } from '../../api/client';
import type { FarmPageProps } from '../../api/farms';
import { derivedSensorsQuery, polyhousesQuery } from '../../api/queries';
import { useVerdictWords } from '../../i18n/verdict';
import { QueryState } from '../../screen/QueryState';
import { useDialog } from '../../screen/useDialog';
import { useRemoval } from '../../screen/useRemoval';
import { AsOf } from '../../ui/AsOf';
import { Banner } from '../../ui/Banner';
import { CardList } from '../../ui/CardList';
import { PageLayout } from '../../ui/PageLayout';
import { DerivedCard } from './DerivedCard';
import { DerivedForm } from './DerivedForm';
import type { DerivedSensor } from './derived';
import { sensorsQuery } from './queries';
import { useInputs, useSentence } from './useSentence';

const NONE: never[] = [];

export default function DerivedSensors({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const query = useQuery(derivedSensorsQuery(farmId));
  const sensors = useQuery(sensorsQuery(farmId)).data ?? NONE;
  const polyhouses = useQuery(polyhousesQuery(farmId));
  const houses = polyhouses.data ?? NONE;
  const { asOf } = useVerdictWords();
  const dialog = useDialog();
  const [search] = useSearchParams();
  const removal = useRemoval(farmId, t('derived.deleteFailed'));
  const remove = (derived: DerivedSensor) =>
    removal.ask({
      question: t('derived.confirmDelete', { name: derived.name }),
      call: () =>
        api.DELETE('/api/farms/{farmId}/derived-sensors/{derivedId}', {
          params: { path: { farmId, derivedId: derived.id } },
          headers: ifMatch(derived),
        }),
    });
  const inputsOf = useInputs(sensors, houses);
  const sentenceOf = useSentence();
  const edited = query.data?.find(({ id }) => id === dialog.editId);
  return (
    <PageLayout
      title={t('derived.title')}
      about={t('derived.about')}
      busy={query.isPending}
      actions={
        writes && (
          <Button leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
            {t('derived.add')}
          </Button>
        )
      }
    >
      {removal.problem && <Banner tone="bad" text={removal.problem} />}
      <QueryState
        query={query}
        failed={t('derived.failed')}
        empty={t(writes ? 'derived.noneHint' : 'derived.none')}
      >
        {(all) => (
          <AsOf value={asOf(query)}>
            <CardList>
              {all.map((derived) => {
                const inputs = inputsOf(derived);
                return (
                  <DerivedCard
                    key={derived.id}
                    derived={derived}
                    reading={sensors.find(({ id }) => id === derived.sensorId)}
                    inputs={inputs}
                    sentence={sentenceOf(derived, inputs)}
                    polyhouses={houses}
                    isSought={search.get('open') === derived.id}
                    writes={writes}
                    onEdit={() => dialog.edit(derived.id)}
                    onDelete={() => remove(derived)}
                  />
                );
              })}
            </CardList>
          </AsOf>
        )}
      </QueryState>
      {/* What a form begins with, such as where a new one is, must be known by then. */}
      {polyhouses.data && (
        <DerivedForm
          farmId={farmId}
          opened={writes && (dialog.isNew || edited !== undefined)}
          derived={edited}
          sensors={sensors}
          polyhouses={houses}
          onClose={dialog.close}
        />
      )}
    </PageLayout>
  );
}
