// The reservoirs of the farm and how full they are (spec 2.16).
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import type { FarmPageProps } from '../../api/farms';
import { failedLoad, failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { AsOf } from '../../ui/AsOf';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { useDeleteReservoir } from './changes';
import classes from './places.module.css';
import { type Reservoir, reservoirsQuery } from './queries';
import { ReservoirCard } from './ReservoirCard';
import { ReservoirForm } from './ReservoirForm';

export default function Reservoirs({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const query = useQuery(reservoirsQuery(farmId));
  const { asOf } = useVerdictWords();
  const remove = useDeleteReservoir(farmId);
  const [form, setForm] = useState<{ open: boolean; reservoir?: Reservoir }>({ open: false });
  const close = () => setForm((before) => ({ ...before, open: false }));
  const count = query.data?.length;
  return (
    <div className={classes['page']} aria-busy={query.isPending}>
      <header className={classes['head']}>
        <div>
          <h1>{t('places.reservoirs')}</h1>
          {count !== undefined && (
            <p className={classes['count']}>
              {t('places.reservoirCount', { count, number: format.count(count) })}
            </p>
          )}
        </div>
        {writes && (
          <Button leftSection={<Add size={20} aria-hidden />} onClick={() => setForm({ open: true })}>
            {t('places.addReservoir')}
          </Button>
        )}
      </header>
      {remove.isError && (
        <Banner tone="bad" text={failureText(t, remove.error, t('places.deleteReservoirFailed'))} />
      )}
      {query.isError && <Banner {...failedLoad(t, query, t('places.reservoirsFailed'))} />}
      {query.isPending && (
        <>
          <p className={classes['hidden']} role="status">
            {t('app.loading')}
          </p>
          <div className={classes['cards']} aria-hidden>
            <Skeleton height={240} radius="md" />
            <Skeleton height={240} radius="md" />
          </div>
        </>
      )}
      {count === 0 && (
        <p className={classes['empty']}>{t(writes ? 'places.noReservoirsHint' : 'places.noReservoirs')}</p>
      )}
      {query.data && (
        <AsOf value={asOf(query)}>
          {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
          <ul role="list" className={classes['cards']}>
            {query.data.map((reservoir) => (
              <ReservoirCard
                key={reservoir.id}
                reservoir={reservoir}
                writes={writes}
                onEdit={() => setForm({ open: true, reservoir })}
                onDelete={() => {
                  if (window.confirm(t('places.confirmDeleteReservoir'))) remove.mutate(reservoir.id);
                }}
              />
            ))}
          </ul>
        </AsOf>
      )}
      <Dialog
        opened={form.open}
        onClose={close}
        title={t(form.reservoir ? 'places.editReservoir' : 'places.addReservoir')}
        closeLabel={t('form.close')}
      >
        <ReservoirForm
          key={form.reservoir?.id ?? 'new'}
          farmId={farmId}
          reservoir={form.reservoir}
          onDone={close}
        />
      </Dialog>
    </div>
  );
}
