// The zones of the farm, and what grows in each now.

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { cropAndVariety } from '../../api/crops';
import type { FarmPageProps } from '../../api/farms';
import { polyhousesQuery } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { QueryState } from '../../screen/QueryState';
import { ToFirstHour } from '../../screen/ToFirstHour';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { Empty } from '../../ui/Empty';
import { PageLayout } from '../../ui/PageLayout';
import { cycleCalls } from './chosen';
import { recordsQuery, type Schemas } from './kind';
import classes from './Records.module.css';
import { Stage } from './Stage';

export default function ZonesPage({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const houses = useQuery(polyhousesQuery(farmId));
  const cycles = useQuery(recordsQuery<Schemas['CropCycle']>(farmId, cycleCalls));
  const zones = (houses.data ?? []).flatMap((house) =>
    house.zones.map((zone) => ({ ...zone, house: house.name })),
  );
  const growing = (zone: string) =>
    cycles.data?.filter(({ zoneId, state }) => zoneId === zone && state === 'GROWING') ?? [];
  return (
    <PageLayout title={t('nav.zones')} busy={houses.isPending || cycles.isPending}>
      <QueryState query={cycles} failed={t('records.loadFailed')}>
        {() =>
          zones.length === 0 ? (
            <Empty action={<ToFirstHour />}>{t('zonesPage.none')}</Empty>
          ) : (
            <CardTable
              className={classes['table']}
              columns={[
                t('places.polyhouses'),
                t('records.zone'),
                t('records.cycle'),
                t('cycles.stage'),
                t('cycles.expectedHarvest'),
              ]}
            >
              {zones.map(({ id, name, house }) => (
                <Zone key={id} house={house} name={name} cycles={growing(id)} writes={writes} />
              ))}
            </CardTable>
          )
        }
      </QueryState>
    </PageLayout>
  );
}

interface ZoneProps {
  house: string;
  name: string;
  cycles: readonly Schemas['CropCycle'][];
  writes: boolean;
}

function Zone({ house, name, cycles, writes }: ZoneProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [first] = cycles;
  const stage = first?.stage;
  const crops = cycles.map(cropAndVariety);
  return (
    <CardRow>
      <CardCell label={t('places.polyhouses')}>{house}</CardCell>
      <CardCell label={t('records.zone')}>{name}</CardCell>
      <CardCell label={t('records.cycle')}>
        {crops.length > 0 ? (
          format.list(crops)
        ) : writes ? (
          <Button component={Link} to="/polyhouses/lifecycles?new-crop-cycles" variant="default">
            {t('zonesPage.begin')}
          </Button>
        ) : (
          t('zonesPage.free')
        )}
      </CardCell>
      <CardCell label={t('cycles.stage')} empty={!stage}>
        {stage ? <Stage {...stage} /> : t('records.blank')}
      </CardCell>
      <CardCell label={t('cycles.expectedHarvest')} empty={!first?.expectedHarvestOn}>
        {first?.expectedHarvestOn ? format.shortDay(first.expectedHarvestOn) : t('records.blank')}
      </CardCell>
    </CardRow>
  );
}
