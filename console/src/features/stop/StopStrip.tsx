// The stops that hold, on every screen until somebody opens them: who, since when, why, what is not confirmed yet. Those that
// the server has not answered stand there too.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Bad from '~icon/AlertTriangle';
import Hand from '~icon/HandStop';
import Open from '~icon/LockOpen';
import { allConfirmed, dismissStop, stopAgain, useStopOrders } from '../../api/stop';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import { later } from '../../ui/later';
import { type Stop, stopsQuery } from './queries';
import classes from './Stop.module.css';
import { useOpening } from './unlocking';

const OpenStops = later(async () => (await import('./OpenStops')).OpenStops);

/** So many devices are named; of more there is the number. */
const NAMED = 4;

export function StopStrip({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const mayOpen = useOpening();
  const stops = useQuery(stopsQuery(farmId)).data?.stops ?? [];
  const [opening, setOpening] = useState<Stop>();
  const unanswered = useStopOrders(farmId).filter((order) => order.state !== 'taken' && !allConfirmed(order));
  return (
    <section className={classes['strips']} aria-label={t('stop.strip')}>
      {unanswered.map((order) => (
        <div key={order.id} className={classes['strip']} role="alert" data-stop-order={order.state}>
          <Bad size={24} aria-hidden />
          <p>
            <strong>
              {order.name ? t('stop.notConfirmedOf', { name: order.name }) : t('stop.notConfirmedFarm')}
            </strong>
            {order.refusal ?? t(order.state === 'given_up' ? 'stop.givenUp' : 'stop.tryingAgain')}
          </p>
          {order.state === 'given_up' && (
            <Button variant="default" onClick={() => stopAgain(order.id)}>
              {t('stop.again')}
            </Button>
          )}
          {order.state !== 'unanswered' && (
            <Button variant="default" onClick={() => dismissStop(order.id)}>
              {t('form.close')}
            </Button>
          )}
        </div>
      ))}
      {stops.map((stop) => (
        <Strip
          key={stop.by?.user_id ?? ''}
          stop={stop}
          onOpen={mayOpen.personal(stop.by?.user_id) ? () => setOpening(stop) : undefined}
        />
      ))}
      <OpenStops farmId={farmId} stop={opening} onClose={() => setOpening(undefined)} />
    </section>
  );
}

function Strip({ stop, onOpen }: { stop: Stop; onOpen: (() => void) | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const when = useWhen();
  const name = stop.by?.name ?? t('stop.somebody');
  const names = (devices: Stop['devices']) =>
    devices.length <= NAMED
      ? format.list(devices.map((device) => device.name))
      : t('stop.andMore', {
          names: devices
            .slice(0, NAMED - 1)
            .map((device) => device.name)
            .join(', '),
          count: devices.length - NAMED + 1,
          number: format.count(devices.length - NAMED + 1),
        });
  const open = stop.devices.filter(({ state }) => state !== 'confirmed');
  return (
    <div className={classes['strip']} data-stop-of={stop.by?.user_id} data-confirmed={open.length === 0}>
      <Hand size={24} aria-hidden />
      <p>
        <strong>{t('stop.stopped', { devices: names(stop.devices) })}</strong>
        <span>
          {stop.since === null ? name : t('stop.bySince', { name, time: when(stop.since) })}
          {stop.reason && ` · ${stop.reason}`}
        </span>
        {open.length > 0 && (
          <span className={classes['unconfirmed']} role="alert">
            {t('stop.openDevices', { devices: names(open) })}
          </span>
        )}
        {!onOpen && <span>{t('stop.whoOpens', { name })}</span>}
      </p>
      {onOpen && (
        <Button variant="default" leftSection={<Open size={20} aria-hidden />} onClick={onOpen}>
          {t('control.unlock')}
        </Button>
      )}
    </div>
  );
}
