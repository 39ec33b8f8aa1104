// A person's lock, for work on the machine.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import LockIcon from '~icon/Lock';
import { problemAt } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import formClasses from '../../ui/form.module.css';
import { type Device, useLock } from './queries';

/** The longest reason that the server keeps. */
const MAX_REASON = 500;

export function LockDevice({ farmId, device }: { farmId: string; device: Device }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size="lg"
        leftSection={<LockIcon size={20} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        {t('stop.lock')}
      </Button>
      <Dialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={t('stop.lockOf', { device: device.name })}
        closeLabel={t('form.close')}
      >
        <Form farmId={farmId} device={device} onDone={() => setOpened(false)} />
      </Dialog>
    </>
  );
}

function Form({ farmId, device, onDone }: { farmId: string; device: Device; onDone: () => void }) {
  const { t } = useTranslation();
  const lock = useLock(farmId, device.id);
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const missing = reason.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!missing) lock.mutate(reason.trim(), { onSuccess: onDone });
  };
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      {lock.isError && <Banner tone="bad" text={failureText(t, lock.error, t('stop.lockFailed'))} />}
      <p>{t('stop.lockHint')}</p>
      <TextInput
        label={t('control.reason')}
        required
        autoComplete="off"
        maxLength={MAX_REASON}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={(tried && missing && t('control.reasonRequired')) || problemAt(lock.error, 'reason')}
      />
      <Button type="submit" size="lg" loading={lock.isPending}>
        {t('stop.lock')}
      </Button>
    </form>
  );
}
