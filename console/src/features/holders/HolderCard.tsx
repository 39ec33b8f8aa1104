// A device on the board: what it does, who decides about it since when and until when, and what else wants it.
import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Off from '~icon/PlugConnectedX';
import { useWhen } from '../../i18n/when';
import { Countdown } from '../../screen/Countdown';
import classes from './Holders.module.css';
import type { HeldDevice } from './lanes';

interface Props {
  device: HeldDevice;
  /** Where it is, where that is not told around it. */
  place?: string;
  onChoose: () => void;
}

export function HolderCard({ device, place, onChoose }: Props) {
  const { t } = useTranslation();
  const when = useWhen();
  const { holder, others, online, reported } = device;
  const state = reported === null ? 'unknown' : reported ? 'on' : 'off';
  const times = [
    holder.since !== null && t('holders.since', { time: when(holder.since) }),
    holder.until !== null && t('holders.until', { time: when(holder.until) }),
  ].filter(Boolean);
  return (
    <UnstyledButton
      className={classes['card'] ?? ''}
      aria-haspopup="dialog"
      data-held={device.id}
      data-lane={device.lane}
      onClick={onChoose}
    >
      <span className={classes['name']}>
        <strong>{device.name}</strong>
        {online ? (
          <span className={classes['reported']} data-reported={state}>
            {t(`holders.${state}`)}
          </span>
        ) : (
          <span className={classes['reported']} data-reported="offline">
            <Off size={16} aria-hidden />
            {t('holders.offline')}
          </span>
        )}
      </span>
      {place !== undefined && <span className={classes['place']}>{place}</span>}
      <span>{holder.text}</span>
      {(times.length > 0 || holder.until !== null) && (
        <span className={classes['times']}>
          {times.join(' · ')}
          {holder.until !== null && <Countdown until={holder.until} />}
        </span>
      )}
      {others.map((other) => (
        <span key={`${other.kind} ${other.rule} ${other.text}`} className={classes['other']}>
          {t('holders.also', { text: other.text })}
        </span>
      ))}
    </UnstyledButton>
  );
}
