// The sensors and devices that stand in one place, with what they say now; to be renamed and moved.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import NoReading from '~icon/CircleDashed';
import Silent from '~icon/ClockExclamation';
import { displayStatus, type Place, useDomain } from '../../i18n/domain';
import { failedLoad, failedOf } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { StatePill } from '../../ui/StatePill';
import { EditDelete } from './EditDelete';
import { statusLooks } from './look';
import { inPlace } from './place';
import { type Device, devicesQuery, type Polyhouse, type SensorReading, sensorsQuery } from './queries';
import { type Thing, ThingForm } from './ThingForm';
import classes from './Things.module.css';

interface Props {
  farmId: string;
  place: Place;
  polyhouses: readonly Polyhouse[];
  writes: boolean;
}

export function Things({ farmId, place, polyhouses, writes }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const domain = useDomain();
  const sensorsOfFarm = useQuery(sensorsQuery(farmId));
  const devicesOfFarm = useQuery(devicesQuery(farmId));
  const [form, setForm] = useState<{ open: boolean; thing?: Thing }>({ open: false });
  const failed = failedOf([sensorsOfFarm, devicesOfFarm]);
  const byName = (a: { name: string }, b: { name: string }) => format.compare(a.name, b.name);
  const sensors = inPlace(sensorsOfFarm.data ?? [], place)
    .map((sensor) => ({
      ...sensor,
      ownName: sensor.name ?? '',
      name: sensor.name || domain.quantity(sensor.type),
    }))
    .sort(byName);
  const devices = inPlace(devicesOfFarm.data ?? [], place).sort(byName);
  const edit = (kind: Thing['kind'], { id, name, scope }: { id: string; name: string; scope: Place }) =>
    writes ? () => setForm({ open: true, thing: { kind, id, name, place: scope } }) : undefined;

  if (sensorsOfFarm.isPending || devicesOfFarm.isPending) return <Skeleton height={120} radius="md" />;
  return (
    <>
      {failed && <Banner {...failedLoad(t, failed, t('places.thingsFailed'))} />}
      {!failed && sensors.length + devices.length === 0 && (
        <p className={classes['none']}>{t('places.noThings')}</p>
      )}
      {sensors.length > 0 && (
        <div>
          <h3 className={classes['kind']}>{t('places.sensors')}</h3>
          {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
          <ul role="list" className={classes['things']}>
            {sensors.map((sensor) => (
              <Sensor
                key={sensor.id}
                sensor={sensor}
                onEdit={edit('sensor', { ...sensor, name: sensor.ownName })}
              />
            ))}
          </ul>
        </div>
      )}
      {devices.length > 0 && (
        <div>
          <h3 className={classes['kind']}>{t('places.devices')}</h3>
          {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
          <ul role="list" className={classes['things']}>
            {devices.map((device) => (
              <Actuator key={device.id} device={device} onEdit={edit('device', device)} />
            ))}
          </ul>
        </div>
      )}
      <Dialog
        opened={form.open}
        onClose={() => setForm((before) => ({ ...before, open: false }))}
        title={t(form.thing?.kind === 'device' ? 'places.editDevice' : 'places.editSensor')}
        closeLabel={t('form.close')}
      >
        {form.thing && (
          <ThingForm
            key={form.thing.id}
            farmId={farmId}
            thing={form.thing}
            polyhouses={polyhouses}
            onDone={() => setForm((before) => ({ ...before, open: false }))}
          />
        )}
      </Dialog>
    </>
  );
}

function Sensor({
  sensor,
  onEdit,
}: {
  sensor: SensorReading & { name: string };
  onEdit: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const when = useWhen();
  const domain = useDomain();
  const { latestValue, at, type, name } = sensor;
  return (
    <li className={classes['thing']} data-sensor={sensor.id}>
      <div className={classes['what']}>
        <p className={classes['name']}>{name}</p>
        <p className={classes['type']}>{domain.quantity(type)}</p>
      </div>
      <div className={classes['now']}>
        {latestValue !== null && <p className={classes['value']}>{domain.amount(type, latestValue)}</p>}
        <p className={classes['state']}>
          {latestValue === null && at !== null && (
            <StatePill tone="warn" icon={Silent} word={t('places.stale')} />
          )}
          {latestValue === null && at === null && (
            <StatePill tone="quiet" icon={NoReading} word={t('places.neverHeard')} />
          )}
          {at !== null && <span>{when(at)}</span>}
        </p>
      </div>
      {onEdit && <EditDelete name={name} onEdit={onEdit} />}
    </li>
  );
}

function Actuator({ device, onEdit }: { device: Device; onEdit: (() => void) | undefined }) {
  const { t } = useTranslation();
  const when = useWhen();
  const domain = useDomain();
  const status = displayStatus(device);
  const { tone, icon } = statusLooks[status];
  const { on, value } = device.state;
  // How far open or how fast, where a device can be more than on or off.
  const degree = device.supportedActions.find(({ action }) => action.startsWith('set_'))?.action;
  return (
    <li className={classes['thing']} data-device={device.id}>
      <div className={classes['what']}>
        <p className={classes['name']}>
          <Link to={`/automation/manual?device=${encodeURIComponent(device.id)}`}>{device.name}</Link>
        </p>
        <p className={classes['type']}>{domain.device(device.type)}</p>
      </div>
      <div className={classes['now']}>
        <p className={classes['value']}>
          {on === null
            ? t('control.notReported')
            : (degree && on && domain.actionAmount(degree, value)) || domain.action(on ? 'on' : 'off')}
        </p>
        {!device.online && on !== null && (
          <p className={classes['state']}>
            {device.lastUpdated === null
              ? t('manual.lastKnown')
              : t('manual.lastKnownAt', { time: when(device.lastUpdated) })}
          </p>
        )}
        <p className={classes['state']}>
          <StatePill live tone={tone} icon={icon} word={domain.status(status)} />
        </p>
      </div>
      {onEdit && <EditDelete name={device.name} onEdit={onEdit} />}
    </li>
  );
}
