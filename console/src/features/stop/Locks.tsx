// The locks of a device: what kind, whose, since when, why, and how each is opened.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import LockIcon from '~icon/Lock';
import { useMay } from '../../api/permissions';
import { useWhen } from '../../i18n/when';
import { leaseLock } from '../../screen/device';
import { LockDevice } from './LockDevice';
import type { Device, DeviceLock } from './queries';
import classes from './Stop.module.css';
import { Unlock, UnlockButton } from './Unlock';
import { useOpening } from './unlocking';

interface Props {
  farmId: string;
  device: Device;
  /** Whether one more lock may be put on here. */
  adding?: boolean;
}

export function Locks({ farmId, device, adding = false }: Props) {
  const may = useMay();
  const opening = useOpening();
  const { locks } = device.state;
  // Here, not at the lock: that is gone when it is open.
  const [asked, setAsked] = useState<DeviceLock>();
  const mine = locks.some(({ kind, by }) => kind === 'person' && by?.user_id === opening.me);
  return (
    <>
      {locks.length > 0 && (
        <ul className={classes['locks']}>
          {locks.map((lock) => (
            <LockRow
              key={`${lock.kind} ${lock.by?.user_id ?? ''}`}
              device={device}
              lock={lock}
              opens={opening.any(lock)}
              onOpen={() => setAsked(lock)}
            />
          ))}
        </ul>
      )}
      <Unlock farmId={farmId} device={device} lock={asked} onClose={() => setAsked(undefined)} />
      {adding && may('devices:lock') && !mine && <LockDevice farmId={farmId} device={device} />}
    </>
  );
}

function LockRow({
  device,
  lock,
  opens,
  onOpen,
}: Pick<Props, 'device'> & { lock: DeviceLock; opens: boolean; onOpen: () => void }) {
  const { t } = useTranslation();
  const when = useWhen();
  const { kind, by, since } = lock;
  const said = useLockReason()(lock);
  const lease = leaseLock(lock);
  const name = by?.name;
  const whose =
    name && since !== null
      ? t('stop.bySince', { name, time: when(since) })
      : (name ?? (since !== null ? t('stop.since', { time: when(since) }) : ''));
  return (
    <li data-lock={kind} data-lock-of={by?.user_id}>
      <LockIcon className={classes['lockIcon'] ?? ''} size={20} aria-hidden />
      <p>
        <strong>{t(`stop.kind.${lease ?? kind}`)}</strong>
        <span>{[whose, said].filter(Boolean).join(' · ')}</span>
        {!opens && (
          <span>
            {kind === 'controller'
              ? t(`stop.opens.${lease ?? 'controller'}`)
              : kind === 'stop' || kind === 'person'
                ? t('stop.whoOpens', { name: name ?? t('stop.somebody') })
                : t('stop.opens.admin')}
          </span>
        )}
      </p>
      {opens && <UnlockButton device={device} onClick={onOpen} />}
    </li>
  );
}

/** Why, in words: the engine's own reasons stand in its kind already. */
export function useLockReason(): (lock: DeviceLock) => string {
  const { t } = useTranslation();
  return ({ kind, reason }) => {
    if (kind === 'max_on' || kind === 'keeps_stopping' || kind === 'keeps_starting')
      return t(`control.lockedFor.${kind}`);
    const lease = leaseLock({ kind, reason });
    if (lease) return t(`control.lockedFor.${lease}`);
    // A stop without a reason has its own word for one.
    return kind === 'stop' && reason === 'stop' ? '' : reason;
  };
}
