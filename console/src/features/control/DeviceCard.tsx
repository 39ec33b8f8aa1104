// One device in the list: what it is, where, what it reports, who has it, and why it cannot be chosen if so.
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import Blocked from '~icon/Ban';
import HistoryIcon from '~icon/ChartLine';
import LimitsIcon from '~icon/Gauge';
import Who from '~icon/UserCheck';
import { displayStatus, useDomain } from '../../i18n/domain';
import { useWhen } from '../../i18n/when';
import { Countdown } from '../../screen/Countdown';
import { LanesLink } from '../../screen/DayLink';
import { type Device, looksOf, refusalOf } from '../../screen/device';
import { Link } from '../../screen/Link';
import type { Rule } from '../../screen/place';
import { statusLooks } from '../../screen/status';
import { WhyLine } from '../../screen/WhyLine';
import { DeviceIcon } from '../../ui/icons/DeviceIcon';
import { StatePill } from '../../ui/StatePill';
import classes from './Control.module.css';
import { ReportedState } from './Facts';
import { Held, Meters } from './LimitsState';

interface Props {
  farmId: string;
  device: Device;
  /** Where it is, as far as the heading above does not say. */
  place: string;
  /** In a line: nothing is to be said of it but that it is there. */
  isRow: boolean;
  rules: readonly Rule[] | undefined;
  /** Whether the person may command at all; those who may not choose nothing. */
  command: boolean;
  admin: boolean;
  devices: readonly Device[];
  /** Opens its limits, for those who may. */
  onLimits: (() => void) | undefined;
  chosen: boolean;
  /** Its locks, with the ways to open them. */
  locks: ReactNode;
  onChoose: (id: string) => void;
}

export function DeviceCard({ farmId, device, place, isRow, rules, ...rest }: Props) {
  const { t } = useTranslation();
  const { command, admin, devices, onLimits, chosen, locks, onChoose } = rest;
  const words = useDomain();
  const when = useWhen();
  const about = useId();
  const status = displayStatus(device);
  const refusal = refusalOf(device, admin);
  const { tone, icon } = statusLooks[status];
  return (
    <li
      className={classes['card']}
      data-row={isRow || undefined}
      data-device={device.id}
      data-status={status}
      data-chosen={chosen}
    >
      <div className={classes['cardHead']}>
        <DeviceIcon {...looksOf(device)} />
        <div className={classes['name']}>
          <h3>
            {command ? (
              <button
                type="button"
                aria-describedby={about}
                aria-current={chosen || undefined}
                disabled={refusal === 'offline'}
                onClick={() => onChoose(device.id)}
              >
                {device.name}
              </button>
            ) : (
              device.name
            )}
          </h3>
          <p>{[words.device(device.type), place].filter(Boolean).join(' · ')}</p>
        </div>
        <StatePill live tone={tone} word={words.status(status)} icon={icon} />
      </div>
      <div id={about} className={classes['cardBody']}>
        <p className={classes['now']}>
          {!device.online && (
            <small>
              {device.lastUpdated === null
                ? t('manual.lastKnown')
                : t('manual.lastKnownAt', { time: when(device.lastUpdated) })}
            </small>
          )}
          <ReportedState device={device} />
          {device.state.mode === 'manual' && device.state.manualOverrideUntil !== null && (
            <Countdown until={device.state.manualOverrideUntil} />
          )}
        </p>
        {!isRow && (
          <p className={classes['holder']}>
            <Who size={18} aria-hidden />
            <span>
              <WhyLine farmId={farmId} device={device} rules={rules} />
            </span>
          </p>
        )}
        <Held device={device} devices={devices} />
        {!isRow && <Meters device={device} />}
        {refusal && (
          <p className={classes['refusal']}>
            <Blocked size={18} aria-hidden />
            {t(`control.refused.${refusal}`)}
          </p>
        )}
        {locks}
        {(!command || refusal === 'offline') && (
          // Where there is no panel to reach it from.
          <Link
            className={classes['link'] ?? ''}
            to={`/history?device=${encodeURIComponent(device.id)}`}
            aria-label={t('history.of', { name: device.name })}
          >
            <HistoryIcon size={20} aria-hidden />
            {t('history.title')}
          </Link>
        )}
        {(!command || refusal === 'offline') && <LanesLink of={{ device: device.id }} />}
        {onLimits && refusal === 'offline' && (
          <button type="button" className={classes['link'] ?? ''} onClick={onLimits}>
            <LimitsIcon size={20} aria-hidden />
            {t('limits.title')}
          </button>
        )}
        {device.gone && <p className={classes['gone']}>{t('control.gone')}</p>}
      </div>
    </li>
  );
}
