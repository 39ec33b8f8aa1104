// Asks who somebody is by a code that is sent to them, or by their password where that will do.
import '@mantine/core/styles/PasswordInput.css';
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUndelivered } from '../api/delivery';
import { problemAt } from '../api/errors';
import { failureText } from '../i18n/failure';
import { Banner } from '../ui/Banner';
import formClasses from '../ui/form.module.css';

interface Props<Done> {
  text: string;
  /** Said of a failure of which the server says nothing. */
  failed: string;
  /** What the button says that sends it in. */
  label: string;
  /** Whether the password will do as well. */
  orPassword?: boolean;
  /** Has a code sent; gives to whom. */
  send: () => Promise<string>;
  /** Sends in what is asked for: the code once one was sent, the password until then. */
  confirm: (shown: { otp: string; password?: string }) => Promise<Done>;
  onConfirmed: (done: Done) => void;
}

export function CodeForm<Done>(props: Props<Done>) {
  const { text, failed, label, orPassword = false, onConfirmed } = props;
  const { t } = useTranslation();
  const undelivered = useUndelivered();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const send = useMutation({ mutationFn: props.send });
  const confirm = useMutation({
    mutationFn: () => props.confirm({ otp: code.trim(), ...(!send.isSuccess && { password }) }),
    onSuccess: onConfirmed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  const error = send.error ?? confirm.error;
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      <Banner
        tone="warn"
        text={text}
        action={{ label: t('signIn.sendCode'), run: () => send.mutate(), busy: send.isPending }}
      />
      {error && <Banner tone="bad" text={failureText(t, error, failed)} />}
      {send.isSuccess && (
        <>
          <p role="status">
            {undelivered ? t(`delivery.${undelivered}`) : t('otp.sentTo', { contact: send.data })}
          </p>
          <TextInput
            label={t('screen.confirm.code')}
            name="otp"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={problemAt(confirm.error, 'otp')}
          />
        </>
      )}
      {orPassword && !send.isSuccess && (
        <PasswordInput
          label={t('screen.confirm.password')}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={problemAt(confirm.error, 'password')}
        />
      )}
      {(orPassword || send.isSuccess) && (
        <Button type="submit" loading={confirm.isPending}>
          {label}
        </Button>
      )}
    </form>
  );
}
