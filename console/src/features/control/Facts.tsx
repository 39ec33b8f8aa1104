// What is known of a device: what it reports, and why.
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import { type Device, reportedOf } from '../../screen/device';
import { later } from '../../ui/later';
import classes from './Control.module.css';

const Why = later(async () => (await import('../../screen/Why')).Why);

/** The reported state in large type; never what was only sent. */
export function ReportedState({ device }: { device: Device }) {
  const { t } = useTranslation();
  const words = useDomain();
  const reported = reportedOf(device);
  switch (reported.is) {
    case 'unknown':
      return <span className={classes['unknown']}>{t('control.notReported')}</span>;
    case 'value':
      return (
        <span className={classes['reported']} data-on>
          {words.actionAmount(reported.action, reported.value)}
        </span>
      );
    case 'on':
      return (
        <span className={classes['reported']} data-on>
          {t('control.on')}
        </span>
      );
    case 'off':
      return <span className={classes['reported']}>{t('control.off')}</span>;
  }
}

/** What it does, or is about to do, where it cannot be reached: it goes off, and only what does not is told before. */
function LeaseEnd({ device: { online, leaseEnd } }: { device: Device }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (leaseEnd === null) return !online && <small>{t('manual.offlineHint')}</small>;
  const what = format.percent(leaseEnd);
  return <small>{t(online ? 'manual.leaseEnd' : 'manual.goesOnHint', { what })}</small>;
}

/** Whether a person's turn is over before something else would happen. */
function endsBefore({ mode, manualOverrideUntil }: Device['state'], instant: number): boolean {
  return mode === 'manual' && manualOverrideUntil !== null && manualOverrideUntil <= instant;
}

interface Props {
  farmId: string;
  device: Device;
}

export function Facts({ farmId, device }: Props) {
  const { t } = useTranslation();
  const when = useWhen();
  const { state } = device;
  return (
    <div className={classes['facts']}>
      <dl className={classes['big']}>
        <dt>{t(device.online ? 'control.reported' : 'manual.lastKnown')}</dt>
        <dd>
          <ReportedState device={device} />
          {device.lastUpdated !== null && (
            <small>{t('control.updated', { time: when(device.lastUpdated) })}</small>
          )}
          <LeaseEnd device={device} />
        </dd>
      </dl>
      <Why farmId={farmId} device={device} />
      {device.max_on_at !== null && state.locks.length === 0 && !endsBefore(state, device.max_on_at) && (
        <small>{t('control.maxOn', { time: when(device.max_on_at) })}</small>
      )}
    </div>
  );
}
