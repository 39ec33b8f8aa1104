// One polyhouse opened: its zones, and the sensors and devices that stand in each. The same for what belongs to no polyhouse.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import History from '~icon/ChartLine';
import Back from '~icon/ChevronLeft';
import Add from '~icon/Plus';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { Panel } from '../../ui/Panel';
import { useDeleteZone } from './changes';
import { EditDelete } from './EditDelete';
import { HouseMark, HouseReason, useHouseVerdicts } from './HouseVerdict';
import { ActivePill, PolyhouseFacts } from './PolyhouseCard';
import classes from './places.module.css';
import type { Polyhouse, Zone } from './queries';
import { Things } from './Things';
import { ZoneForm } from './ZoneForm';

interface Props {
  farmId: string;
  polyhouse: Polyhouse;
  /** All of the farm, for the choices of a move. */
  polyhouses: readonly Polyhouse[];
  writes: boolean;
  onEdit: (polyhouse: Polyhouse) => void;
  onDelete: (polyhouse: Polyhouse) => void;
}

export function PolyhouseDetails({ farmId, polyhouse, polyhouses, writes, onEdit, onDelete }: Props) {
  const { t } = useTranslation();
  const verdict = useHouseVerdicts(farmId)(polyhouse.id);
  const remove = useDeleteZone(farmId, polyhouse.id);
  const [form, setForm] = useState<{ open: boolean; zone?: Zone }>({ open: false });
  const close = () => setForm((before) => ({ ...before, open: false }));
  const things = { farmId, polyhouses, writes };
  return (
    <>
      <BackToAll />
      <header className={classes['head']}>
        <div>
          <h1>{polyhouse.name}</h1>
          <p>
            <HouseMark verdict={verdict} />
            {!polyhouse.isActive && <ActivePill isActive={false} />}
          </p>
        </div>
        <div className={classes['actions']}>
          <Link className={classes['button']} to={`/history?polyhouse=${encodeURIComponent(polyhouse.id)}`}>
            <History size={20} aria-hidden />
            {t('history.title')}
          </Link>
          {writes && (
            <EditDelete
              name={polyhouse.name}
              onEdit={() => onEdit(polyhouse)}
              onDelete={() => onDelete(polyhouse)}
            />
          )}
        </div>
      </header>
      <HouseReason verdict={verdict} all />
      <PolyhouseFacts polyhouse={polyhouse} />
      {remove.isError && (
        <Banner tone="bad" text={failureText(t, remove.error, t('places.deleteZoneFailed'))} />
      )}
      <Panel title={t('places.inWholePolyhouse')}>
        <Things place={{ type: 'polyhouse', polyhouseId: polyhouse.id }} {...things} />
      </Panel>
      {polyhouse.zones.map((zone) => (
        <Panel
          key={zone.id}
          title={zone.name}
          action={
            writes && (
              <EditDelete
                name={zone.name}
                onEdit={() => setForm({ open: true, zone })}
                onDelete={() => {
                  if (window.confirm(t('places.confirmDeleteZone'))) remove.mutate(zone.id);
                }}
              />
            )
          }
        >
          <Things place={{ type: 'zone', polyhouseId: polyhouse.id, zoneId: zone.id }} {...things} />
        </Panel>
      ))}
      {polyhouse.zones.length === 0 && <p className={classes['empty']}>{t('places.noZones')}</p>}
      {writes && (
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          onClick={() => setForm({ open: true })}
        >
          {t('places.addZone')}
        </Button>
      )}
      <Dialog
        opened={form.open}
        onClose={close}
        title={t(form.zone ? 'places.renameZone' : 'places.addZone')}
        closeLabel={t('form.close')}
      >
        <ZoneForm
          key={form.zone?.id ?? 'new'}
          farmId={farmId}
          polyhouseId={polyhouse.id}
          zone={form.zone}
          onDone={close}
        />
      </Dialog>
    </>
  );
}

export function FarmThings({
  farmId,
  polyhouses,
  writes,
}: {
  farmId: string;
  polyhouses: readonly Polyhouse[];
  writes: boolean;
}) {
  const { t } = useTranslation();
  return (
    <>
      <BackToAll />
      <header className={classes['head']}>
        <h1>{t('places.wholeFarm')}</h1>
      </header>
      <Panel title={t('places.inWholeFarm')}>
        <Things place={{ type: 'farm' }} farmId={farmId} polyhouses={polyhouses} writes={writes} />
      </Panel>
    </>
  );
}

function BackToAll() {
  const { t } = useTranslation();
  return (
    <Link className={classes['back']} to="/polyhouses">
      <Back size={20} aria-hidden />
      {t('places.allPolyhouses')}
    </Link>
  );
}
