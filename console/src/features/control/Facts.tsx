// What is known of a device: what it reports, who has it and for how long, who waits.
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { keys } from '../../api/keys';
import { useDomain } from '../../i18n/domain';
import { useWhen } from '../../i18n/when';
import { type Device, reportedOf, waitingRules } from '../../screen/device';
import { useHolderText } from '../../screen/useHolderText';
import classes from './Control.module.css';
import { Countdown } from './Countdown';

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
