// The polyhouses of the farm (spec 2.15); one of them opened shows its zones with what stands in them.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Where from '~icon/MapPin';
import Add from '~icon/Plus';
import { api, ifMatch } from '../../api/client';
import type { FarmPageProps } from '../../api/farms';
import { polyhousesQuery, rulesQuery } from '../../api/queries';
import { failedLoad, failedPart } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { useHouseVerdicts } from '../../screen/HouseVerdict';
import { useHouses } from '../../screen/house';
import { inPlace } from '../../screen/place';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { useDialog } from '../../screen/useDialog';
import { AsOf } from '../../ui/AsOf';
import { Banner } from '../../ui/Banner';
import { CardList } from '../../ui/CardList';
import { PageLayout } from '../../ui/PageLayout';
import { FarmThings, PolyhouseDetails } from './Details';
import { FarmPlace } from './FarmPlace';
import { PolyhouseCard, WholeFarmCard } from './PolyhouseCard';
import { PolyhouseForm } from './PolyhouseForm';
import classes from './places.module.css';
import type { Polyhouse } from './queries';

/** The details of what belongs to no polyhouse. */
const WHOLE_FARM = 'farm';

export default function Polyhouses({ farm, farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [search, setSearch] = useSearchParams();
  const query = useQuery(polyhousesQuery(farmId));
  const houses = useHouses(farmId);
  // What stands in them comes with them: cards that grow push each other down.
  const isPending = query.isPending || houses.telemetry.isPending || houses.devices.isPending;
  const { ask } = useAction(farmId);
  const dialog = useDialog();
  const placeDialog = useDialog('position');
  const open = search.get('open');
  const opened = query.data?.find(({ id }) => id === open);
  const edited = query.data?.find(({ id }) => id === dialog.editId);
  const active = query.data?.filter(({ isActive }) => isActive).length;

  const actions = {
    writes,
    onEdit: (polyhouse: Polyhouse) => dialog.edit(polyhouse.id),
    onDelete: (polyhouse: Polyhouse) =>
      ask({
        question: t('places.confirmDeletePolyhouse'),
        failed: t('places.deletePolyhouseFailed'),
        call: () =>
          api.DELETE('/api/farms/{farmId}/polyhouses/{polyhouseId}', {
            params: { path: { farmId, polyhouseId: polyhouse.id } },
            headers: ifMatch(polyhouse),
          }),
        onDone: () => setSearch({}, { replace: true }),
      }),
  };
  const form = (
    <PolyhouseForm
      farmId={farmId}
      opened={writes && (dialog.isNew || edited !== undefined)}
      polyhouse={edited}
      onClose={dialog.close}
    />
  );
  if (query.data && (opened || open === WHOLE_FARM))
    return (
      <div className={classes['page']}>
        {query.isError && <Banner {...failedLoad(t, query, t('places.polyhousesFailed'))} />}
        {opened ? (
          <PolyhouseDetails farmId={farmId} polyhouse={opened} polyhouses={query.data} {...actions} />
        ) : (
          <FarmThings farmId={farmId} polyhouses={query.data} writes={writes} />
        )}
        {form}
      </div>
    );
  return (
    <PageLayout
      title={t('places.polyhouses')}
      about={
        active !== undefined && t('places.activePolyhouses', { count: active, number: format.count(active) })
      }
      busy={isPending}
      actions={
        writes && (
          <>
            <Button
              variant="default"
              leftSection={<Where size={20} aria-hidden />}
              onClick={() => placeDialog.edit(farmId)}
            >
              {t('places.farmPlace')}
            </Button>
            <Button leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
              {t('places.addPolyhouse')}
            </Button>
          </>
        )
      }
    >
      {open && query.data && <Banner tone="warn" text={t('places.polyhouseGone')} />}
      <QueryState
        query={{ ...query, isPending, data: isPending ? undefined : query.data }}
        failed={t('places.polyhousesFailed')}
        empty={t(writes ? 'places.noPolyhousesHint' : 'places.noPolyhouses')}
      >
        {(polyhouses) => <Cards farmId={farmId} polyhouses={polyhouses} houses={houses} {...actions} />}
      </QueryState>
      {form}
      <FarmPlace farm={farm} opened={writes && placeDialog.editId !== null} onClose={placeDialog.close} />
    </PageLayout>
  );
}

interface CardsProps {
  farmId: string;
  polyhouses: readonly Polyhouse[];
  houses: ReturnType<typeof useHouses>;
  writes: boolean;
  onEdit: (polyhouse: Polyhouse) => void;
  onDelete: (polyhouse: Polyhouse) => void;
}

function Cards({ farmId, polyhouses, houses, ...actions }: CardsProps) {
  const { t } = useTranslation();
  const { telemetry, devices, told, means, asOf } = houses;
  const verdicts = useHouseVerdicts(farmId);
  const rules = useQuery(rulesQuery(farmId)).data;
  const loose =
    inPlace(told.sensors, { type: 'farm' }).length + inPlace(told.devices, { type: 'farm' }).length;
  const missing = [telemetry, devices].find(({ isError, data }) => isError && !data);
  return (
    <>
      {missing && <Banner {...failedPart(t, missing, t('places.thingsFailed'))} />}
      <AsOf value={asOf}>
        <CardList wide>
          {polyhouses.map((polyhouse) => (
            <PolyhouseCard
              key={polyhouse.id}
              farmId={farmId}
              polyhouse={polyhouse}
              verdict={verdicts(polyhouse.id)}
              told={told}
              means={means[polyhouse.id]}
              rules={rules}
              {...actions}
            />
          ))}
          {loose > 0 && <WholeFarmCard things={loose} to={`?open=${WHOLE_FARM}`} />}
        </CardList>
      </AsOf>
    </>
  );
}
