// Shows by a code that a contact is one's own: it signs in, and receives invitations, only from then on.
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { useUndelivered } from '../../api/delivery';
import { problemAt } from '../../api/errors';
import { updateUser } from '../../api/session';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';

export function ContactCode({ contact }: { contact: string }) {
  const { t } = useTranslation();
  const undelivered = useUndelivered();
  const [code, setCode] = useState('');
  const send = useMutation({
    mutationFn: () => answer(api.POST('/auth/contacts/code', { body: { contact } })),
  });
  const verify = useMutation({
    mutationFn: () => answer(api.POST('/auth/contacts/verify', { body: { contact, otp: code.trim() } })),
    onSuccess: ({ user }) => updateUser(user),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    verify.mutate();
  };
  const failed = send.error ?? verify.error;
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      <Banner
        tone="warn"
        text={t('profile.unverified', { contact })}
        action={{ label: t('signIn.sendCode'), run: () => send.mutate(), busy: send.isPending }}
      />
      {failed && <Banner tone="bad" text={failureText(t, failed, t('error.sendOtp'))} />}
      {send.isSuccess && (
        <>
          <p role="status">{undelivered ? t(`delivery.${undelivered}`) : t('otp.sentTo', { contact })}</p>
          <TextInput
            label={t('profile.code')}
            name="otp"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={problemAt(verify.error, 'otp')}
          />
          <Button type="submit" loading={verify.isPending}>
            {t('otp.verify')}
          </Button>
        </>
      )}
    </form>
  );
}
