// One device in hand: what is known of it, the command, what became of it, and the way back to the rules.
import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import HistoryIcon from '~icon/ChartLine';
import Emergency from '~icon/HandOff';
import Careful from '~icon/ShieldExclamation';
import { displayStatus, useDomain } from '../../i18n/domain';
import { Banner } from '../../ui/Banner';
import { StatePill } from '../../ui/StatePill';
import { CommandForm } from './CommandForm';
import classes from './Control.module.css';
import { type Device, refusalOf, statusLooks } from './device';
import { Facts } from './Facts';
import { Outcome } from './Outcome';
import { useSendCommand } from './queries';
import { Unlock } from './Unlock';

interface Props {
  farmId: string;
  device: Device;
  place: string;
  rules: ReadonlyMap<string, string> | undefined;
  admin: boolean;
}

export function ControlPanel({ farmId, device, place, rules, admin }: Props) {
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
        <span>
          {words.device(device.type)} · {place}
        </span>
        <StatePill tone={tone} word={words.status(status)} icon={icon} />
      </p>
      <Facts farmId={farmId} device={device} rules={rules} />
      {refusal ? (
        <>
          <Banner tone="warn" text={t(`control.refused.${refusal}`)} />
          {refusal === 'locked' && admin && <Unlock farmId={farmId} device={device} />}
        </>
      ) : (
        <>
          {device.state.mode === 'manual' && (
            <Button
              color="var(--h-bad)"
              variant="outline"
              size="lg"
              leftSection={<Emergency size={22} aria-hidden />}
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
              {t('control.emergency')}
            </Button>
          )}
          <CommandForm device={device} admin={admin} busy={send.isPending} onSend={send.mutate} />
        </>
      )}
      <div ref={outcome} className={classes['outcome']}>
        <Outcome farmId={farmId} sending={send.isPending} result={send.data} error={send.error} />
      </div>
      <aside className={classes['notice']} aria-label={t('control.noticeTitle')}>
        <Careful size={22} aria-hidden />
        <p>{t('control.notice')}</p>
      </aside>
      <Link className={classes['link'] ?? ''} to={`/history?device=${encodeURIComponent(device.id)}`}>
        <HistoryIcon size={20} aria-hidden />
        {t('history.title')}
      </Link>
    </div>
  );
}
