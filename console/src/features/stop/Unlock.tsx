// Opening one lock: whether nobody is at the machine, a reason where the engine locked it, and then what follows.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Open from '~icon/LockOpen';
import { problemAt } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import formClasses from '../../ui/form.module.css';
import { type Device, type DeviceLock, useUnlock } from './queries';
import classes from './Stop.module.css';
import { WhatFollows } from './WhatFollows';

/** The longest reason that the server keeps. */
const MAX_REASON = 500;

export function UnlockButton({ device, onClick }: { device: Device; onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <Button
      className={classes['unlock'] ?? ''}
      variant="default"
      leftSection={<Open size={20} aria-hidden />}
      aria-label={t('control.unlockOf', { device: device.name })}
      onClick={onClick}
    >
      {t('control.unlock')}
    </Button>
  );
}

interface Props {
  farmId: string;
  device: Device;
  lock: DeviceLock;
}

/** `lock` is the one that is being opened; what follows is shown when it is gone from the device already. */
export function Unlock({
  lock,
  onClose,
  ...rest
}: Omit<Props, 'lock'> & { lock: DeviceLock | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      opened={lock !== undefined}
      onClose={onClose}
      title={t('control.unlockOf', { device: rest.device.name })}
      closeLabel={t('form.close')}
    >
      {lock && <Form {...rest} lock={lock} onDone={onClose} />}
    </Dialog>
  );
}

function Form({ farmId, device, lock, onDone }: Props & { onDone: () => void }) {
  const { t } = useTranslation();
  const unlock = useUnlock(farmId, device.id);
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const required = lock.kind !== 'stop' && lock.kind !== 'person';
  const missing = required && reason.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (missing) return;
    unlock.mutate({
      kind: lock.kind,
      userId: lock.by?.user_id ?? null,
      nobodyAtTheMachine: true,
      reason: reason.trim() || null,
    });
  };
  if (unlock.data) return <WhatFollows farmId={farmId} devices={[unlock.data]} onDone={onDone} />;
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      {unlock.isError && <Banner tone="bad" text={failureText(t, unlock.error, t('control.unlockFailed'))} />}
      <p className={classes['question']}>{t('stop.nobodyThere')}</p>
      <p>{t('control.unlockHint')}</p>
      <TextInput
        label={t('control.reason')}
        {...(!required && { description: t('control.reasonHint') })}
        required={required}
        autoComplete="off"
        maxLength={MAX_REASON}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={(tried && missing && t('control.reasonRequired')) || problemAt(unlock.error, 'reason')}
      />
      <Button type="submit" size="lg" loading={unlock.isPending}>
        {t('stop.nobodyOpen')}
      </Button>
    </form>
  );
}
