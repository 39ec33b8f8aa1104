// After a lock was opened: what the rules want of each device, shown before it starts, with the time that is left.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Start from '~icon/PlayerPlay';
import { useMay } from '../../api/permissions';
import { ruleNamesQuery } from '../../api/queries';
import { stop } from '../../api/stop';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { type Device, useRelease } from './queries';
import classes from './Stop.module.css';

interface Props {
  farmId: string;
  devices: readonly Device[];
  onDone: () => void;
}

/** How long a device stays off by hand after its last lock was opened and one of them was a stop (docs/semantics.md). */
const STARTS_AFTER_MS = 10_000;
const TICK_MS = 250;

export function WhatFollows({ farmId, devices, onDone }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const may = useMay();
  const rules = useQuery({ ...ruleNamesQuery(farmId), enabled: may('farm:read') }).data;
  const release = useRelease(farmId);
  // By this browser's clock: the server's may be another.
  const [ends] = useState(() => Date.now() + waitOf(devices));
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, ends - now);
  const wish = useWish(rules);
  const free = devices.filter(({ state }) => state.locks.length === 0);
  const starting = free.filter(({ desired }) => desired.action !== 'off' && desired.value !== 0);
  const over = left === 0 || release.isSuccess;
  return (
    <div className={classes['opening']} data-follows={over ? 'over' : 'waiting'}>
      {release.isError && <Banner tone="bad" text={failureText(t, release.error, t('control.sendFailed'))} />}
      <p className={classes['question']} role="status">
        {free.length === 0
          ? t('stop.stillLocked')
          : starting.length === 0
            ? t('stop.nothingStarts')
            : over
              ? t('stop.started')
              : t('stop.startsIn', { time: format.stopwatch(Math.ceil(left / 1_000)) })}
      </p>
      <ul className={classes['devices']}>
        {devices.map((device) => (
          <li key={device.id} data-follows-device={device.id}>
            <span>
              <strong>{device.name}</strong>
              {wish(device)}
            </span>
          </li>
        ))}
      </ul>
      {starting.length > 0 && !over && (
        <div className={classes['buttons']}>
          {may('devices:command') && (
            <Button
              size="lg"
              leftSection={<Start size={20} aria-hidden />}
              loading={release.isPending}
              onClick={() => release.mutate(starting.map(({ id }) => id))}
            >
              {t('stop.startNow')}
            </Button>
          )}
          <Button
            size="lg"
            variant="outline"
            color="var(--h-bad)"
            onClick={() => {
              for (const { id, name } of free) stop(farmId, { type: 'device', deviceId: id }, name);
              onDone();
            }}
          >
            {t('stop.stopAgain')}
          </Button>
        </div>
      )}
      {(over || starting.length === 0) && (
        <Button size="lg" variant="default" onClick={onDone}>
          {t('form.close')}
        </Button>
      )}
    </div>
  );
}

function waitOf(devices: readonly Device[]): number {
  return devices.some(({ state }) => state.mode === 'manual') ? STARTS_AFTER_MS : 0;
}

/** What a device does next, in a line. */
function useWish(rules: ReadonlyMap<string, string> | undefined): (device: Device) => string {
  const { t } = useTranslation();
  const words = useDomain();
  return ({ online, desired, desired_by, state }) => {
    if (state.locks.length > 0) return t(online ? 'stop.wish.locked' : 'stop.wish.offline');
    const off = desired.action === 'off' || desired.value === 0;
    const what = off
      ? t('control.off')
      : [t('control.on'), words.actionAmount(desired.action, desired.value)].filter(Boolean).join(' ');
    return desired_by === 'rest'
      ? t('stop.wish.rest', { what })
      : t('stop.wish.rule', { what, rule: rules?.get(desired_by) ?? desired_by });
  };
}
