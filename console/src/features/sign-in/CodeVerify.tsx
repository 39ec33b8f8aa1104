// Sign-in by one-time code, second half: the six boxes (spec 2.6).
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router';
import Back from '~icon/ArrowLeft';
import { answer, api } from '../../api/client';
import { useUndelivered } from '../../api/delivery';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { Banner } from '../../ui/Banner';
import classes from '../../ui/form.module.css';
import { CodeBoxes } from './CodeBoxes';
import { completedBy, emptyCode, typeInto, wholeCode } from './code';
import { DemoOutbox } from './DemoOutbox';
import { type SignInState, useEnter, useSignInState } from './entry';
import { silenceRouting } from './silence';

/** How long one waits before asking for another code. */
const RESEND_AFTER_S = 60;

export default function CodeVerify() {
  const state = useSignInState();
  // Nobody asked for a code: there is nothing to verify.
  if (!state.contact) return <Navigate to="/login" replace />;
  return <CodeForm contact={state.contact} state={state} />;
}

function CodeForm({ contact, state }: { contact: string; state: SignInState }) {
  const { t } = useTranslation();
  const format = useFormat();
  const enter = useEnter();
  const undelivered = useUndelivered();
  const focusFirst = useRef(() => {});
  const [code, setCode] = useState<readonly string[]>(emptyCode);
  const [incomplete, setIncomplete] = useState(false);
  const [wait, restartWait] = useCountdown(RESEND_AFTER_S);
  const verify = useMutation({
    mutationFn: (otp: string) =>
      silenceRouting(answer(api.POST('/auth/verify-otp', { body: { contact, otp } }))),
    onSuccess: enter,
    onError: () => {
      setCode(emptyCode);
      focusFirst.current();
    },
  });
  const resend = useMutation({
    mutationFn: () => silenceRouting(answer(api.POST('/auth/send-otp', { body: { contact } }))),
    onSuccess: restartWait,
  });

  const change = (filled: string[]) => {
    setCode(filled);
    setIncomplete(false);
    const otp = completedBy(code, filled);
    if (otp !== undefined && !verify.isPending) verify.mutate(otp);
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const otp = wholeCode(code);
    setIncomplete(otp === undefined);
    if (otp !== undefined && !verify.isPending) verify.mutate(otp);
  };

  const problem = incomplete
    ? t('error.otpIncomplete')
    : verify.isError
      ? failureText(t, verify.error, t('error.invalidOtp'))
      : undefined;

  return (
    <>
      <form className={classes['form']} onSubmit={submit} noValidate>
        <div className={classes['head']}>
          <h1>{t('otp.title')}</h1>
          <p>
            {undelivered
              ? t(`delivery.${undelivered}`)
              : t('otp.sentTo', { contact: state.maskedContact ?? contact })}
          </p>
        </div>
        {problem && <Banner tone="bad" text={problem} />}
        <CodeBoxes code={code} onChange={change} invalid={problem !== undefined} focusFirst={focusFirst} />
        <Button type="submit" loading={verify.isPending} fullWidth>
          {t('otp.verify')}
        </Button>
        {resend.isError && <Banner tone="bad" text={failureText(t, resend.error, t('error.resendOtp'))} />}
        <div className={classes['resend']}>
          {resend.isSuccess && wait > 0 && (
            <p role="status">{t(undelivered ? `delivery.${undelivered}` : 'otp.resent')}</p>
          )}
          {wait > 0 ? (
            <p>{t('otp.resendIn', { count: wait, number: format.count(wait) })}</p>
          ) : (
            <button
              type="button"
              className={classes['text']}
              disabled={resend.isPending}
              onClick={() => resend.mutate()}
            >
              {t('otp.resend')}
            </button>
          )}
        </div>
        <div className={classes['links']}>
          <Link to="/login" state={{ ...state, maskedContact: undefined }}>
            <Back size={20} aria-hidden />
            {t('otp.back')}
          </Link>
        </div>
      </form>
      <DemoOutbox onChoose={(digits) => change(typeInto(emptyCode, 0, digits).code)} />
    </>
  );
}

/** Seconds left, and how to start again. By the clock, not by counting: a phone in a pocket runs no timers. */
function useCountdown(seconds: number): [number, () => void] {
  const [end, setEnd] = useState(() => Date.now() + seconds * 1_000);
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const timer = setInterval(() => {
      const now = Math.max(0, Math.ceil((end - Date.now()) / 1_000));
      setLeft(now);
      if (now === 0) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [end]);
  const restart = () => {
    setEnd(Date.now() + seconds * 1_000);
    setLeft(seconds);
  };
  return [left, restart];
}
