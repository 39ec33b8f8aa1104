// Who changes a contact shows first that it is them: whoever found this browser open must not become the account.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { useUndelivered } from '../../api/delivery';
import { problemAt } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';

export function Confirm({ onConfirmed }: { onConfirmed: () => void }) {
  const { t } = useTranslation();
  const undelivered = useUndelivered();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const send = useMutation({ mutationFn: () => answer(api.POST('/auth/confirm/code')) });
  const confirm = useMutation({
    mutationFn: () =>
      answer(api.POST('/auth/confirm', { body: password === '' ? { otp: code.trim() } : { password } })),
    onSuccess: onConfirmed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  const failed = send.error ?? confirm.error;
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      <Banner
        tone="warn"
        text={t('profile.confirm')}
        action={{ label: t('signIn.sendCode'), run: () => send.mutate(), busy: send.isPending }}
      />
      {failed && <Banner tone="bad" text={failureText(t, failed, t('error.saveProfile'))} />}
      {send.isSuccess ? (
        <>
          <p role="status">
            {undelivered
              ? t(`delivery.${undelivered}`)
              : t('otp.sentTo', { contact: send.data.maskedContact })}
          </p>
          <TextInput
            label={t('profile.code')}
            name="otp"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={problemAt(confirm.error, 'otp')}
          />
        </>
      ) : (
        <PasswordInput
          label={t('profile.current')}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={problemAt(confirm.error, 'password')}
        />
      )}
      <Button type="submit" loading={confirm.isPending}>
        {t('profile.confirmIt')}
      </Button>
    </form>
  );
}
