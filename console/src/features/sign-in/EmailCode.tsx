// The simple pair of forms: first the e-mail address, then the code (spec 2.8).
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Back from '~icon/ArrowLeft';
import { answer, api } from '../../api/client';
import { looksLikeEmail } from '../../api/contact';
import { useUndelivered } from '../../api/delivery';
import { ApiError } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { Link } from '../../screen/Link';
import { Banner } from '../../ui/Banner';
import classes from '../../ui/form.module.css';
import { CodeBoxes } from './CodeBoxes';
import { completedBy, emptyCode, typeInto, wholeCode } from './code';
import { DemoOutbox } from './DemoOutbox';
import { useEnter, useSignInState } from './entry';
import { silenceRouting } from './silence';

export default function EmailCode() {
  const state = useSignInState();
  const [sentTo, setSentTo] = useState<string>();
  return sentTo === undefined ? (
    <EmailForm first={state.contact?.includes('@') ? state.contact : ''} onSent={setSentTo} />
  ) : (
    <CodeForm email={sentTo} onBack={() => setSentTo(undefined)} />
  );
}

function EmailForm({ first, onSent }: { first: string; onSent: (email: string) => void }) {
  const { t } = useTranslation();
  const undelivered = useUndelivered();
  const [email, setEmail] = useState(first);
  const [tried, setTried] = useState(false);
  const request = useMutation({
    mutationFn: (to: string) =>
      silenceRouting(answer(api.POST('/api/auth/request-email-otp', { body: { email: to } }))),
    onSuccess: (_, to) => onSent(to),
  });
  const to = email.trim();
  const wrong = to === '' ? 'error.emailRequired' : looksLikeEmail(to) ? undefined : 'error.emailInvalid';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!wrong) request.mutate(to);
  };
  return (
    <form className={classes['form']} onSubmit={submit} noValidate>
      <div className={classes['head']}>
        <h1>{t('emailCode.title')}</h1>
        <p>{t(undelivered ? `delivery.${undelivered}` : 'emailCode.hint')}</p>
      </div>
      {request.isError && <Banner tone="bad" text={failure(t, request.error, t('error.sendOtp'))} />}
      <TextInput
        label={t('register.email')}
        name="email"
        type="email"
        inputMode="email"
        autoComplete="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={tried && wrong ? t(wrong) : undefined}
      />
      <Button type="submit" loading={request.isPending} fullWidth>
        {t('signIn.sendCode')}
      </Button>
      <div className={classes['links']}>
        <Link to="/login">
          <Back size={20} aria-hidden />
          {t('otp.back')}
        </Link>
      </div>
    </form>
  );
}

function CodeForm({ email, onBack }: { email: string; onBack: () => void }) {
  const { t } = useTranslation();
  const enter = useEnter();
  const undelivered = useUndelivered();
  const focusFirst = useRef(() => {});
  const [code, setCode] = useState<readonly string[]>(emptyCode);
  const [incomplete, setIncomplete] = useState(false);
  const verify = useMutation({
    mutationFn: (digits: string) =>
      silenceRouting(answer(api.POST('/api/auth/verify-email-otp', { body: { email, code: digits } }))),
    onSuccess: enter,
    onError: () => {
      setCode(emptyCode);
      focusFirst.current();
    },
  });
  const change = (filled: string[]) => {
    setCode(filled);
    setIncomplete(false);
    const digits = completedBy(code, filled);
    if (digits !== undefined && !verify.isPending) verify.mutate(digits);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const digits = wholeCode(code);
    setIncomplete(digits === undefined);
    if (digits !== undefined && !verify.isPending) verify.mutate(digits);
  };
  const problem = incomplete
    ? t('error.otpIncomplete')
    : verify.isError
      ? failure(t, verify.error, t('error.invalidCode'))
      : undefined;
  return (
    <>
      <form className={classes['form']} onSubmit={submit} noValidate>
        <div className={classes['head']}>
          <h1>{t('otp.title')}</h1>
        </div>
        {/* Said whether or not there is such an account: nobody learns who has one. */}
        <Banner tone="quiet" text={t(undelivered ? `delivery.${undelivered}` : 'emailCode.sent')} />
        {problem && <Banner tone="bad" text={problem} />}
        <CodeBoxes code={code} onChange={change} invalid={problem !== undefined} focusFirst={focusFirst} />
        <Button type="submit" loading={verify.isPending} fullWidth>
          {t('otp.verify')}
        </Button>
        <div className={classes['links']}>
          <button type="button" className={classes['text']} onClick={onBack}>
            <Back size={20} aria-hidden />
            {t('emailCode.otherEmail')}
          </button>
        </div>
      </form>
      <DemoOutbox onChoose={(digits) => change(typeInto(emptyCode, 0, digits).code)} />
    </>
  );
}

/** This flow has network words of its own. */
function failure(t: TFunction, error: unknown, fallback: string): string {
  return error instanceof ApiError && error.kind === 'network'
    ? t('error.networkCheck')
    : failureText(t, error, fallback);
}
