// The sensors and devices that stand in one place, with what they say now; to be renamed and moved.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import NoReading from '~icon/CircleDashed';
import Silent from '~icon/ClockExclamation';
import { devicesQuery } from '../../api/queries';
import { displayStatus, type Place, useDomain } from '../../i18n/domain';
import { failedLoad, failedOf } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import { DerivedMark, useDerivedSensors } from '../../screen/DerivedMark';
import { EditDelete } from '../../screen/EditDelete';
import { Link } from '../../screen/Link';
import { inPlace } from '../../screen/place';
import { useSensorNames } from '../../screen/sensors';
import { statusLooks } from '../../screen/status';
import { useDialog } from '../../screen/useDialog';
import { Banner } from '../../ui/Banner';
import { StatePill } from '../../ui/StatePill';
import { type Device, type Polyhouse, type SensorReading, sensorsQuery } from './queries';
import { type Thing, ThingForm } from './ThingForm';
import classes from './Things.module.css';

interface Props {
  farmId: string;
  place: Place;
  writes: boolean;
}

/** The form of whichever sensor or device is edited, wherever on the farm it stands. */
export function EditedThing({ farmId, polyhouses }: { farmId: string; polyhouses: readonly Polyhouse[] }) {
  const dialog = useDialog('thing');
  const things: Thing[] = [
    ...(useQuery(sensorsQuery(farmId)).data ?? []).map((sensor) => ({ ...sensor, kind: 'sensor' as const })),
    ...(useQuery(devicesQuery(farmId)).data ?? []).map((device) => ({ ...device, kind: 'device' as const })),
  ];
  const edited = things.find(({ kind, id }) => dialog.editId === `${kind}:${id}`);
  return (
    <ThingForm
      farmId={farmId}
      opened={edited !== undefined}
      thing={edited}
      polyhouses={polyhouses}
      onClose={dialog.close}
    />
  );
}

export function Things({ farmId, place, writes }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const sensorsOfFarm = useQuery(sensorsQuery(farmId));
  const devicesOfFarm = useQuery(devicesQuery(farmId));
  const called = useSensorNames(sensorsOfFarm.data ?? []);
  const dialog = useDialog('thing');
  const navigate = useNavigate();
  const allDerived = useDerivedSensors(farmId);
  const derivedOf = (id: string) => allDerived.find(({ sensorId }) => sensorId === id);
  const failed = failedOf([sensorsOfFarm, devicesOfFarm]);
  const byName = (a: { name: string }, b: { name: string }) => format.compare(a.name, b.name);
  const sensors = inPlace(sensorsOfFarm.data ?? [], place)
    .map((sensor) => ({ ...sensor, name: called(sensor) }))
    .sort(byName);
  const devices = inPlace(devicesOfFarm.data ?? [], place).sort(byName);
  const edit = (kind: Thing['kind'], id: string) => (writes ? () => dialog.edit(`${kind}:${id}`) : undefined);
  // A derived one is changed with what it is made of.
  const editSensor = (id: string) => {
    const derived = derivedOf(id);
    if (!derived || !writes) return edit('sensor', id);
    return () => navigate(`/polyhouses/derived?edit=${encodeURIComponent(derived.id)}`);
  };

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
                derived={derivedOf(sensor.id)}
                onEdit={editSensor(sensor.id)}
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
              <Actuator key={device.id} device={device} onEdit={edit('device', device.id)} />
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Sensor({
  sensor,
  derived,
  onEdit,
}: {
  sensor: SensorReading & { name: string };
  derived: Parameters<typeof DerivedMark>[0]['derived'] | undefined;
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
        {derived && <DerivedMark derived={derived} />}
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
