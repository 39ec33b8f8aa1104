// What is known of a device: what it reports, who has it and for how long, who waits.
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { keys } from '../../api/keys';
import { useDomain } from '../../i18n/domain';
import { useWhen } from '../../i18n/when';
import classes from './Control.module.css';
import { Countdown } from './Countdown';
import { type Device, holderOf, reportedOf, waitingRules } from './device';

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

/** Who has the device, in a line. */
export function useHolderText(rules: ReadonlyMap<string, string> | undefined): (device: Device) => string {
  const { t } = useTranslation();
  const when = useWhen();
  return (device) => {
    const holder = holderOf(device);
    switch (holder.by) {
      case 'lock':
        return t(`stop.kind.${holder.lock.kind}`);
      case 'safety':
        return t('control.by.safety');
      case 'person':
        return holder.until === null
          ? t('control.by.person', { name: holder.name })
          : t('control.by.personUntil', { name: holder.name, time: when(holder.until) });
      case 'rule':
        return t('control.by.rule', { rule: rules?.get(holder.rule) ?? holder.rule });
      case 'rest':
        return t('control.by.rest');
    }
  };
}

/** Whether a person's turn is over before something else would happen. */
function endsBefore({ mode, manualOverrideUntil }: Device['state'], instant: number): boolean {
  return mode === 'manual' && manualOverrideUntil !== null && manualOverrideUntil <= instant;
}

interface Props {
  farmId: string;
  device: Device;
  rules: ReadonlyMap<string, string> | undefined;
}

export function Facts({ farmId, device, rules }: Props) {
  const { t } = useTranslation();
  const holderText = useHolderText(rules);
  const when = useWhen();
  const cache = useQueryClient();
  const reload = useCallback(
    () => void cache.invalidateQueries({ queryKey: keys.devices(farmId) }),
    [cache, farmId],
  );
  const { state } = device;
  const waiting = waitingRules(device);
  return (
    <dl className={classes['facts']}>
      <div className={classes['big']}>
        <dt>{t(device.online ? 'control.reported' : 'manual.lastKnown')}</dt>
        <dd>
          <ReportedState device={device} />
          {device.lastUpdated !== null && (
            <small>{t('control.updated', { time: when(device.lastUpdated) })}</small>
          )}
          {!device.online && <small>{t('manual.offlineHint')}</small>}
        </dd>
      </div>
      <div>
        <dt>{t('control.who')}</dt>
        <dd>
          <span>{holderText(device)}</span>
          {state.mode === 'manual' && state.manualOverrideUntil !== null && (
            <Countdown until={state.manualOverrideUntil} onEnd={reload} />
          )}
          {waiting.map((rule) => (
            <small key={rule}>{t('control.waiting', { rule: rules?.get(rule) ?? rule })}</small>
          ))}
          {device.max_on_at !== null && state.locks.length === 0 && !endsBefore(state, device.max_on_at) && (
            <small>{t('control.maxOn', { time: when(device.max_on_at) })}</small>
          )}
        </dd>
      </div>
    </dl>
  );
}
