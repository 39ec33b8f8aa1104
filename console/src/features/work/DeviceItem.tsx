// One device that a worker was given: what it does, and on, off, a pulse, back to the rules.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { displayStatus, useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import { statusLooks } from '../../screen/status';
import { Banner } from '../../ui/Banner';
import { StatePill } from '../../ui/StatePill';
import { type Device, useCommand, type WorkCommand } from './queries';
import classes from './work.module.css';

/** For how long a worker takes a device over. */
const MINUTES = 10;
const PULSE_SECONDS = 10;

export function DeviceItem({ farmId, device }: { farmId: string; device: Device }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const when = useWhen();
  const command = useCommand(farmId);
  const { state } = device;
  const status = displayStatus(device);
  const { tone, icon } = statusLooks[status];
  const can = (action: string) => device.supportedActions.some((each) => each.action === action);
  const send = (action: WorkCommand['action'], durationSec?: number) =>
    command.mutate({ deviceId: device.id, action, ...(durationSec && { durationSec }) });
  const locked = state.locks.length > 0;
  const refusal = !device.online ? 'offline' : locked ? 'locked' : state.safety ? 'safety' : undefined;
  const minutes = format.count(MINUTES);
  const seconds = format.count(PULSE_SECONDS);
  const buttons: { word: string; action: WorkCommand['action']; lasts?: number; filled?: boolean }[] = [
    ...(can('on')
      ? [{ word: t('work.on', { minutes }), action: 'on' as const, lasts: MINUTES * 60, filled: true }]
      : []),
    ...(can('pulse')
      ? [{ word: t('work.pulse', { seconds }), action: 'pulse' as const, lasts: PULSE_SECONDS }]
      : []),
    { word: t('work.off', { minutes }), action: 'off', lasts: MINUTES * 60 },
    ...(device.own ? [{ word: t('manual.giveBack'), action: 'release' as const }] : []),
  ];
  const said = command.data;
  return (
    <li className={classes['item']} data-device={device.id} data-status={status}>
      <div className={classes['head']}>
        <h3>{device.name}</h3>
        <StatePill live tone={tone} word={words.status(status)} icon={icon} />
      </div>
      <p>
        {words.device(device.type)} ·{' '}
        {state.on === null ? t('control.notReported') : t(state.on ? 'control.on' : 'control.off')}
        {state.mode === 'manual' && state.manualOverrideUntil !== null && (
          <> · {t('control.by.personUntil', { name: state.source, time: when(state.manualOverrideUntil) })}</>
        )}
      </p>
      {command.isError && <Banner tone="bad" text={failureText(t, command.error, t('control.sendFailed'))} />}
      {said && said.status !== 'ack' && (
        <Banner
          tone={said.status === 'failure' ? 'bad' : 'warn'}
          text={said.message ?? t(said.status === 'failure' ? 'control.unsuccessful' : 'control.pending')}
        />
      )}
      {refusal ? (
        <p className={classes['refusal']}>{t(`control.refused.${refusal}`)}</p>
      ) : (
        <div className={classes['buttons']}>
          {buttons.map(({ word, action, lasts, filled }) => (
            <Button
              key={action}
              size="lg"
              variant={filled ? 'filled' : 'default'}
              disabled={command.isPending}
              onClick={() => send(action, lasts)}
            >
              {word}
            </Button>
          ))}
        </div>
      )}
    </li>
  );
}
