// Taking the lock off a device, for owners and admins, with a reason that stands in the log.
import { Button, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Open from '~icon/LockOpen';
import { problemAt } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import formClasses from '../../ui/form.module.css';
import classes from './Control.module.css';
import type { Device } from './device';
import { useUnlock } from './queries';

/** The longest reason that the server keeps. */
const MAX_REASON = 500;

export function Unlock({ farmId, device }: { farmId: string; device: Device }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        className={classes['unlock'] ?? ''}
        variant="default"
        leftSection={<Open size={20} aria-hidden />}
        aria-label={t('control.unlockOf', { device: device.name })}
        onClick={() => setOpened(true)}
      >
        {t('control.unlock')}
      </Button>
      <Dialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={t('control.unlockOf', { device: device.name })}
        closeLabel={t('form.close')}
      >
        <Form farmId={farmId} device={device} onDone={() => setOpened(false)} />
      </Dialog>
    </>
  );
}

function Form({ farmId, device, onDone }: { farmId: string; device: Device; onDone: () => void }) {
  const { t } = useTranslation();
  const unlock = useUnlock(farmId);
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const missing = reason.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!missing) unlock.mutate({ deviceId: device.id, reason: reason.trim() }, { onSuccess: onDone });
  };
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      {unlock.isError && <Banner tone="bad" text={failureText(t, unlock.error, t('control.unlockFailed'))} />}
      <p>{t('control.unlockHint')}</p>
      <Textarea
        label={t('control.reason')}
        required
        rows={3}
        maxLength={MAX_REASON}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={(tried && missing && t('control.reasonRequired')) || problemAt(unlock.error, 'reason')}
      />
      <Button type="submit" loading={unlock.isPending}>
        {t('control.unlock')}
      </Button>
    </form>
  );
}
