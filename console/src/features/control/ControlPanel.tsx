// One device in hand: what is known of it, the command, what became of it, and the way back to the rules.
import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import HistoryIcon from '~icon/ChartLine';
import LimitsIcon from '~icon/Gauge';
import GiveBack from '~icon/Robot';
import Careful from '~icon/ShieldExclamation';
import { displayStatus, useDomain } from '../../i18n/domain';
import { type Device, looksOf, refusalOf } from '../../screen/device';
import { Link } from '../../screen/Link';
import { statusLooks } from '../../screen/status';
import { Banner } from '../../ui/Banner';
import { DeviceIcon } from '../../ui/icons/DeviceIcon';
import { StatePill } from '../../ui/StatePill';
import { CommandForm } from './CommandForm';
import classes from './Control.module.css';
import { Facts } from './Facts';
import { Held, Meters } from './LimitsState';
import { Outcome } from './Outcome';
import { switchOff } from './order';
import { useSendCommand } from './queries';

interface Props {
  farmId: string;
  device: Device;
  place: string;
  admin: boolean;
  devices: readonly Device[];
  /** Opens its limits, for those who may. */
  onLimits: (() => void) | undefined;
  locks: ReactNode;
}

export function ControlPanel({ farmId, device, place, admin, devices, onLimits, locks }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const send = useSendCommand(farmId);
  const outcome = useRef<HTMLDivElement>(null);
  // On a phone the buttons are at the lower edge of the screen, and what became of the command below them.
  useEffect(() => {
    if (send.status !== 'idle') outcome.current?.scrollIntoView({ block: 'nearest' });
  }, [send.status]);
  const refusal = refusalOf(device, admin);
  const status = displayStatus(device);
  const { tone, icon } = statusLooks[status];
  return (
    <div className={classes['panel']} data-panel={device.id}>
      <p className={classes['where']}>
        <DeviceIcon {...looksOf(device)} size={56} />
        <span>
          {words.device(device.type)} · {place}
        </span>
        <StatePill live tone={tone} word={words.status(status)} icon={icon} />
      </p>
      <Facts farmId={farmId} device={device} />
      <Held device={device} devices={devices} />
      <Meters device={device} />
      {locks}
      {refusal ? (
        <>
          <Banner tone="warn" text={t(`control.refused.${refusal}`)} />
          {refusal !== 'offline' && (
            <>
              <p>{t(refusal === 'locked' ? 'manual.onlyOff' : 'manual.onlyOffSafety')}</p>
              <Button
                size="lg"
                variant="default"
                disabled={send.isPending}
                onClick={() => send.mutate(switchOff(device.id))}
              >
                {t('control.action.off')}
              </Button>
            </>
          )}
        </>
      ) : (
        <>
          {device.state.mode === 'manual' && (
            <div className={classes['giveBack']}>
              <Button
                variant="default"
                size="lg"
                leftSection={<GiveBack size={22} aria-hidden />}
                disabled={send.isPending}
                onClick={() =>
                  send.mutate({
                    cmd_type: 'release',
                    device_id: device.id,
                    action: { mode: 'auto' },
                    duration_sec: 0,
                  })
                }
              >
                {t('manual.giveBack')}
              </Button>
              <p>{t('manual.giveBackHint')}</p>
            </div>
          )}
          <CommandForm device={device} admin={admin} busy={send.isPending} onSend={send.mutate} />
        </>
      )}
      <div ref={outcome} className={classes['outcome']}>
        <Outcome
          farmId={farmId}
          device={device}
          released={send.variables?.cmd_type === 'release'}
          sending={send.isPending}
          result={send.data}
          error={send.error}
        />
      </div>
      <aside className={classes['notice']} aria-label={t('control.noticeTitle')}>
        <Careful size={22} aria-hidden />
        <p>{t('control.notice')}</p>
      </aside>
      {onLimits && (
        <button type="button" className={classes['link'] ?? ''} onClick={onLimits}>
          <LimitsIcon size={20} aria-hidden />
          {t('limits.title')}
        </button>
      )}
      <Link className={classes['link'] ?? ''} to={`/history?device=${encodeURIComponent(device.id)}`}>
        <HistoryIcon size={20} aria-hidden />
        {t('history.title')}
      </Link>
    </div>
  );
}
