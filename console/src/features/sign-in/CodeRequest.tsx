// Sign-in by one-time code, first half: who are you? (spec 2.4)
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { answer, api } from '../../api/client';
import { useUndelivered } from '../../api/delivery';
import { failureText } from '../../i18n/failure';
import { Link } from '../../screen/Link';
import { Banner } from '../../ui/Banner';
import classes from '../../ui/form.module.css';
import { DemoOutbox } from './DemoOutbox';
import { DemoPanel } from './DemoPanel';
import { NEW_PASSWORD, useSignInState } from './entry';
import { silenceRouting } from './silence';

/** How long 'OTP Sent!' stands before the code page opens. */
const MOVE_ON_MS = 2_000;

export default function CodeRequest() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const state = useSignInState();
  const undelivered = useUndelivered();
  const resetting = state.from === NEW_PASSWORD;
  const [contact, setContact] = useState(state.contact ?? '');
  const [missing, setMissing] = useState(false);
  const send = useMutation({
    mutationFn: (to: string) => silenceRouting(answer(api.POST('/auth/send-otp', { body: { contact: to } }))),
  });
  const { data: sent, variables: sentTo } = send;

  useEffect(() => {
    if (!sent) return;
    const timer = setTimeout(() => {
      void navigate('/otp-verify', {
        state: { ...state, contact: sentTo, maskedContact: sent.maskedContact },
      });
    }, MOVE_ON_MS);
    return () => clearTimeout(timer);
  }, [sent, sentTo, navigate, state]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const to = contact.trim();
    setMissing(to === '');
    if (to !== '') send.mutate(to);
  };

  return (
    <>
      <form className={classes['form']} onSubmit={submit} noValidate>
        <div className={classes['head']}>
          <h1>{t(resetting ? 'reset.title' : 'signIn.welcome')}</h1>
          <p>{t(undelivered ? `delivery.${undelivered}` : resetting ? 'reset.hint' : 'signIn.codeHint')}</p>
        </div>
        {send.isError && <Banner tone="bad" text={failureText(t, send.error, t('error.sendOtp'))} />}
        {sent ? (
          <Banner
            tone={undelivered ? 'warn' : 'good'}
            text={`${t(undelivered ? `delivery.${undelivered}` : 'signIn.sent')} ${t('signIn.sentHint')}`}
          />
        ) : (
          <>
            <TextInput
              label={t('signIn.contact')}
              name="contact"
              autoComplete="username"
              inputMode="email"
              value={contact}
              onChange={(event) => setContact(event.currentTarget.value)}
              error={missing ? t('error.contactRequired') : undefined}
            />
            <Button type="submit" loading={send.isPending} fullWidth>
              {t('signIn.sendCode')}
            </Button>
          </>
        )}
        <div className={classes['links']}>
          <Link
            to="/login/password"
            state={{ ...state, contact: contact.trim(), from: resetting ? undefined : state.from }}
          >
            {t('signIn.withPassword')}
          </Link>
          <span>
            {t('signIn.noAccount')}
            <Link to="/register" state={state}>
              {t('signIn.register')}
            </Link>
          </span>
        </div>
      </form>
      <DemoPanel
        onChoose={(account, password) =>
          void navigate('/login/password', { state: { ...state, contact: account, demoPassword: password } })
        }
      />
      <DemoOutbox />
    </>
  );
}
