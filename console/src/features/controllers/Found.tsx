// What a controller found, for who stands in the house with a phone: every sensor with its value, the one that somebody
// breathed on comes to the top to be named; every device, to be run for a moment and named.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Rose from '~icon/TrendingUp';
import { controllerSensorsQuery, controllersQuery } from '../../api/controllers';
import type { FarmPageProps } from '../../api/farms';
import { devicesQuery, polyhousesQuery, registeredSensorsQuery } from '../../api/queries';
import type { components } from '../../api/schema';
import { useDomain } from '../../i18n/domain';
import { failedLoad, failedOf } from '../../i18n/failure';
import type { Device } from '../../screen/device';
import { useFound } from '../../screen/found';
import { Link } from '../../screen/Link';
import { chartOf } from '../../screen/place';
import { Banner } from '../../ui/Banner';
import { PageLayout } from '../../ui/PageLayout';
import { Panel } from '../../ui/Panel';
import { StatePill } from '../../ui/StatePill';
import { Waiting } from '../../ui/Waiting';
import classes from './Found.module.css';
import { NamePanel, type Thing } from './NamePanel';
import { TryDevice } from './TryDevice';

type Sensor = components['schemas']['ControllerSensor'];

/** What is being named, and by how much it had risen when it was. */
interface Asked {
  kind: Thing['kind'];
  id: string;
  risen?: number;
}

export default function Found({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const domain = useDomain();
  const found = useFound();
  const macid = useSearchParams()[0].get('controller') ?? '';
  const controllers = useQuery(controllersQuery(farmId));
  const watched = useQuery({ ...controllerSensorsQuery(farmId, macid), enabled: macid !== '' });
  const allDevices = useQuery(devicesQuery(farmId));
  const polyhouses = useQuery(polyhousesQuery(farmId)).data ?? [];
  const registered = useQuery(registeredSensorsQuery(farmId)).data ?? [];
  const [asked, ask] = useState<Asked>();
  // What was named, or put off, in this round is not asked for again while it cools down.
  const [handled, setHandled] = useState<ReadonlySet<string>>(new Set());
  const [saved, setSaved] = useState<string>();

  const controller = controllers.data?.find((each) => each.macid === macid);
  const sensors = watched.data ?? [];
  const devices = (allDevices.data ?? []).filter((each) => each.controller === macid && !each.gone);
  const rose = writes ? sensors.find(({ id, risen }) => risen !== null && !handled.has(id)) : undefined;
  // It stays the one that is asked for until it is named: it must not change under the thumb.
  if (!asked && rose) ask({ kind: 'sensor', id: rose.id, risen: rose.risen ?? 0 });
  else if (asked && rose?.id === asked.id && rose.risen !== null && rose.risen !== asked.risen)
    ask({ ...asked, risen: rose.risen });

  const failed = failedOf([controllers, watched, allDevices]);
  const taken = [
    ...registered.flatMap(({ name }) => (name === null ? [] : [name])),
    ...(allDevices.data ?? []).map(({ name }) => name),
  ];
  const thing = asked && thingOf(asked);
  const done = (name?: string) => {
    if (asked) setHandled(new Set([...handled, asked.id]));
    ask(undefined);
    setSaved(name);
  };

  function thingOf({ kind, id }: Asked): Thing | undefined {
    const sensor = kind === 'sensor' ? sensors.find((each) => each.id === id) : undefined;
    if (sensor) return { ...sensor, kind, what: domain.quantity(sensor.type) };
    const device = kind === 'device' ? devices.find((each) => each.id === id) : undefined;
    return device && { ...device, kind, what: domain.device(device.type) };
  }
  const namePanel = (of: Thing, title: string, hint: string, about?: ReactNode) => (
    <NamePanel
      key={`${of.kind} ${of.id}`}
      farmId={farmId}
      thing={of}
      title={title}
      hint={hint}
      about={about}
      polyhouses={polyhouses}
      house={controller?.polyhouseId ?? null}
      taken={taken}
      onNamed={done}
      onClose={() => done()}
    />
  );

  if (controllers.data && !controller)
    return (
      <PageLayout title={t('screen.controller.foundTitle')}>
        <Banner tone="warn" text={t('controllers.notHere')} />
        <Link to="/automation/controllers">{t('controllers.title')}</Link>
      </PageLayout>
    );
  const things = found({ sensors: sensors.length, devices: devices.length });
  return (
    <PageLayout
      title={controller?.name ?? t('screen.controller.foundTitle')}
      about={things && t('controllers.foundThings', { things })}
    >
      {failed && <Banner {...failedLoad(t, failed, t('controllers.failed'))} />}
      {controller && !controller.online && (
        <Banner
          tone="warn"
          text={t(controller.lastSeen === null ? 'screen.controller.waiting' : 'controllers.silent')}
        />
      )}
      {controller?.online && watched.data && sensors.length + devices.length === 0 && (
        <Waiting text={t('controllers.nothingFound')} />
      )}
      <p role="status" className={classes['saved']}>
        {saved !== undefined && t('controllers.saved', { name: saved })}
      </p>
      {thing &&
        namePanel(
          thing,
          asked?.risen === undefined
            ? t('controllers.nameThing', { name: thing.name ?? thing.what })
            : t('controllers.justRose', { what: thing.what, by: amountOf(sensors, asked) }),
          t(asked?.risen === undefined ? 'controllers.nameHint' : 'controllers.roseHint'),
          asked?.risen !== undefined && (
            <p className={classes['rose']}>
              <Rose size={22} aria-hidden />
              <Value sensor={sensors.find(({ id }) => id === asked.id)} />
            </p>
          ),
        )}
      {sensors.length > 0 && (
        <Panel title={t('places.sensors')} {...(writes && { hint: t('controllers.breathe') })}>
          {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
          <ul role="list" className={classes['list']}>
            {sensors.map((sensor) => (
              <li key={sensor.id} data-sensor={sensor.id} data-risen={sensor.risen !== null}>
                <div className={classes['about']}>
                  <p className={classes['name']}>{sensor.name ?? domain.quantity(sensor.type)}</p>
                  <p className={classes['soft']}>
                    {sensor.name === null ? (
                      <code>{sensor.id}</code>
                    ) : (
                      domain.placePath(sensor.scope, polyhouses)
                    )}
                  </p>
                  {sensor.risen !== null && (
                    <StatePill
                      tone="warn"
                      icon={Rose}
                      word={t('controllers.roseBy', { by: domain.amount(sensor.type, sensor.risen) })}
                    />
                  )}
                </div>
                <Value sensor={sensor} />
                {sensor.latestValue !== null && (
                  <Button
                    component={Link}
                    to={chartOf(sensor.type, sensor.scope)}
                    variant="light"
                    aria-label={t('controllers.chartOf', {
                      name: sensor.name ?? `${domain.quantity(sensor.type)} ${sensor.id}`,
                    })}
                  >
                    {t('controllers.unknown.chart')}
                  </Button>
                )}
                {writes && (
                  <Button
                    variant="default"
                    aria-label={t('controllers.nameThing', {
                      name: sensor.name ?? `${domain.quantity(sensor.type)} ${sensor.id}`,
                    })}
                    onClick={() => ask({ kind: 'sensor', id: sensor.id })}
                  >
                    {t('controllers.nameIt')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {devices.length > 0 && (
        <Panel title={t('places.devices')} hint={t('controllers.tryHint')}>
          {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
          <ul role="list" className={classes['list']}>
            {devices.map((device: Device) => (
              <TryDevice
                key={device.id}
                farmId={farmId}
                device={device}
                place={domain.placePath(device.scope, polyhouses)}
                onName={writes ? () => ask({ kind: 'device', id: device.id }) : undefined}
              />
            ))}
          </ul>
        </Panel>
      )}
      <p className={classes['next']}>
        <Link to="/automation/controllers">{t('controllers.title')}</Link>
      </p>
    </PageLayout>
  );

  function amountOf(all: readonly Sensor[], { id, risen }: Asked): string {
    const sensor = all.find((each) => each.id === id);
    return sensor && risen !== undefined ? domain.amount(sensor.type, risen) : '';
  }
}

function Value({ sensor }: { sensor: Sensor | undefined }) {
  const { t } = useTranslation();
  const domain = useDomain();
  if (!sensor) return null;
  return (
    <span className={classes['value']} data-live-value>
      {sensor.latestValue === null ? t('places.neverHeard') : domain.amount(sensor.type, sensor.latestValue)}
    </span>
  );
}
