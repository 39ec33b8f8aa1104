// The polyhouses of the farm (spec 2.15); one of them opened shows its zones with what stands in them.
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Add from '~icon/Plus';
import type { FarmPageProps } from '../../api/farms';
import { failedLoad, failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { Controllers } from './Controllers';
import { useDeletePolyhouse } from './changes';
import { FarmThings, PolyhouseDetails } from './Details';
import { Gone } from './Gone';
import { useHouseVerdicts } from './HouseVerdict';
import { PolyhouseCard, WholeFarmCard } from './PolyhouseCard';
import { PolyhouseForm } from './PolyhouseForm';
import { inPlace } from './place';
import classes from './places.module.css';
import { devicesQuery, type Polyhouse, polyhousesQuery, sensorsQuery } from './queries';

/** The details of what belongs to no polyhouse. */
const WHOLE_FARM = 'farm';

export default function Polyhouses({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const query = useQuery(polyhousesQuery(farmId));
  const remove = useDeletePolyhouse(farmId);
  const [form, setForm] = useState<{ open: boolean; polyhouse?: Polyhouse }>({ open: false });
  const close = () => setForm((before) => ({ ...before, open: false }));
  const open = search.get('open');
  const opened = query.data?.find(({ id }) => id === open);

  const actions = {
    writes,
    onEdit: (polyhouse: Polyhouse) => setForm({ open: true, polyhouse }),
    onDelete: (polyhouse: Polyhouse) => {
      if (!window.confirm(t('places.confirmDeletePolyhouse'))) return;
      remove.mutate(polyhouse.id, { onSuccess: () => setSearch({}, { replace: true }) });
    },
  };
  const trouble = (
    <>
      {remove.isError && (
        <Banner tone="bad" text={failureText(t, remove.error, t('places.deletePolyhouseFailed'))} />
      )}
      {query.isError && <Banner {...failedLoad(t, query, t('places.polyhousesFailed'))} />}
    </>
  );
  return (
    <div className={classes['page']} aria-busy={query.isPending}>
      {open && trouble}
      {open === WHOLE_FARM && query.data ? (
        <FarmThings farmId={farmId} polyhouses={query.data} writes={writes} />
      ) : opened && query.data ? (
        <PolyhouseDetails farmId={farmId} polyhouse={opened} polyhouses={query.data} {...actions} />
      ) : (
        <>
          <Heading polyhouses={query.data} onAdd={writes ? () => setForm({ open: true }) : undefined} />
          {!open && trouble}
          {open && query.data && <Banner tone="warn" text={t('places.polyhouseGone')} />}
          {query.isPending && <Shapes />}
          {query.data?.length === 0 && (
            <p className={classes['empty']}>
              {t(writes ? 'places.noPolyhousesHint' : 'places.noPolyhouses')}
            </p>
          )}
          {query.data && <Cards farmId={farmId} polyhouses={query.data} {...actions} />}
          {writes && query.data && <Controllers farmId={farmId} />}
          {writes && query.data && <Gone farmId={farmId} />}
        </>
      )}
      <Dialog
        opened={form.open}
        onClose={close}
        title={t(form.polyhouse ? 'places.editPolyhouse' : 'places.addPolyhouse')}
        closeLabel={t('form.close')}
      >
        <PolyhouseForm
          key={form.polyhouse?.id ?? 'new'}
          farmId={farmId}
          polyhouse={form.polyhouse}
          onDone={close}
        />
      </Dialog>
    </div>
  );
}

function Heading({
  polyhouses,
  onAdd,
}: {
  polyhouses: readonly Polyhouse[] | undefined;
  onAdd: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const active = polyhouses?.filter(({ isActive }) => isActive).length;
  return (
    <header className={classes['head']}>
      <div>
        <h1>{t('places.polyhouses')}</h1>
        {active !== undefined && (
          <p className={classes['count']}>
            {t('places.activePolyhouses', { count: active, number: format.count(active) })}
          </p>
        )}
      </div>
      {onAdd && (
        <Button leftSection={<Add size={20} aria-hidden />} onClick={onAdd}>
          {t('places.addPolyhouse')}
        </Button>
      )}
    </header>
  );
}

interface CardsProps {
  farmId: string;
  polyhouses: readonly Polyhouse[];
  writes: boolean;
  onEdit: (polyhouse: Polyhouse) => void;
  onDelete: (polyhouse: Polyhouse) => void;
}

function Cards({ farmId, polyhouses, ...actions }: CardsProps) {
  const sensors = useQuery(sensorsQuery(farmId)).data ?? [];
  const devices = useQuery(devicesQuery(farmId)).data ?? [];
  const verdicts = useHouseVerdicts(farmId);
  const loose = inPlace(sensors, { type: 'farm' }).length + inPlace(devices, { type: 'farm' }).length;
  return (
    // biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise
    <ul role="list" className={classes['cards']}>
      {polyhouses.map((polyhouse) => (
        <PolyhouseCard
          key={polyhouse.id}
          polyhouse={polyhouse}
          verdict={verdicts(polyhouse.id)}
          {...actions}
        />
      ))}
      {loose > 0 && <WholeFarmCard things={loose} to={`?open=${WHOLE_FARM}`} />}
    </ul>
  );
}

function Shapes() {
  const { t } = useTranslation();
  return (
    <>
      <p className={classes['hidden']} role="status">
        {t('app.loading')}
      </p>
      <div className={classes['cards']} aria-hidden>
        <Skeleton height={190} radius="md" />
        <Skeleton height={190} radius="md" />
        <Skeleton height={190} radius="md" />
      </div>
    </>
  );
}
