// One polyhouse opened: its zones, and the sensors and devices that stand in each. The same for what belongs to no polyhouse.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Back from '~icon/ChevronLeft';
import Decided from '~icon/GitMerge';
import Add from '~icon/Plus';
import Day from '~icon/Timeline';
import { api, ifMatch } from '../../api/client';
import { dayPath, lanesPath } from '../../screen/DayLink';
import { EditDelete } from '../../screen/EditDelete';
import { HouseMark, HouseReason, useHouseVerdicts } from '../../screen/HouseVerdict';
import { Link } from '../../screen/Link';
import { useAction } from '../../screen/useAction';
import { useDialog } from '../../screen/useDialog';
import { Empty } from '../../ui/Empty';
import { Panel } from '../../ui/Panel';
import { ActivePill, PolyhouseFacts } from './PolyhouseCard';
import classes from './places.module.css';
import type { Polyhouse, Zone } from './queries';
import { EditedThing, Things } from './Things';
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
  const { ask } = useAction(farmId);
  const dialog = useDialog('zone');
  const edited = polyhouse.zones.find(({ id }) => id === dialog.editId);
  const remove = (zone: Zone) =>
    ask({
      question: t('places.confirmDeleteZone'),
      failed: t('places.deleteZoneFailed'),
      call: () =>
        api.DELETE('/api/farms/{farmId}/polyhouses/{polyhouseId}/zones/{zoneId}', {
          params: { path: { farmId, polyhouseId: polyhouse.id, zoneId: zone.id } },
          headers: ifMatch(zone),
        }),
    });
  const things = { farmId, writes };
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
          <Link className={classes['button']} to={dayPath({ type: 'polyhouse', polyhouseId: polyhouse.id })}>
            <Day size={20} aria-hidden />
            {t('nav.day')}
          </Link>
          <Link className={classes['button']} to={lanesPath({ house: polyhouse.id })}>
            <Decided size={20} aria-hidden />
            {t('screen.lanes')}
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
                onEdit={() => dialog.edit(zone.id)}
                onDelete={() => remove(zone)}
              />
            )
          }
        >
          <Things place={{ type: 'zone', polyhouseId: polyhouse.id, zoneId: zone.id }} {...things} />
        </Panel>
      ))}
      {polyhouse.zones.length === 0 && <Empty>{t('places.noZones')}</Empty>}
      {writes && (
        <Button variant="default" leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
          {t('places.addZone')}
        </Button>
      )}
      {writes && <EditedThing farmId={farmId} polyhouses={polyhouses} />}
      <ZoneForm
        farmId={farmId}
        polyhouseId={polyhouse.id}
        opened={writes && (dialog.isNew || edited !== undefined)}
        zone={edited}
        onClose={dialog.close}
      />
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
        <Things place={{ type: 'farm' }} farmId={farmId} writes={writes} />
      </Panel>
      {writes && <EditedThing farmId={farmId} polyhouses={polyhouses} />}
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
