// Sign-in by password (spec 2.5).
import '@mantine/core/styles/PasswordInput.css';
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { answer, api } from '../../api/client';
import { failureText } from '../../i18n/failure';
import { Link } from '../../screen/Link';
import { Banner } from '../../ui/Banner';
import classes from '../../ui/form.module.css';
import { DemoPanel } from './DemoPanel';
import { NEW_PASSWORD, type SignInState, useEnter, useSignInState } from './entry';

export default function PasswordForm() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const enter = useEnter();
  const state = useSignInState();
  const [contact, setContact] = useState(state.contact ?? '');
  const [password, setPassword] = useState(state.demoPassword ?? '');
  const [visible, setVisible] = useState(false);
  const [tried, setTried] = useState(false);
  const login = useMutation({
    mutationFn: (body: { contact: string; password: string }) => answer(api.POST('/auth/login', { body })),
    onSuccess: enter,
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (contact.trim() !== '' && password !== '') login.mutate({ contact: contact.trim(), password });
  };

  return (
    <>
      <form className={classes['form']} onSubmit={submit} noValidate>
        <div className={classes['head']}>
          <h1>{t('signIn.welcome')}</h1>
          <p>{t('signIn.passwordHint')}</p>
        </div>
        {login.isError && <Banner tone="bad" text={failureText(t, login.error, t('error.login'))} />}
        <TextInput
          label={t('signIn.contact')}
          name="contact"
          autoComplete="username"
          inputMode="email"
          value={contact}
          onChange={(event) => setContact(event.currentTarget.value)}
          error={tried && contact.trim() === '' ? t('error.contactRequired') : undefined}
        />
        <PasswordInput
          label={t('signIn.password')}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visible={visible}
          onVisibilityChange={setVisible}
          visibilityToggleButtonProps={{
            'aria-label': t(visible ? 'signIn.hidePassword' : 'signIn.showPassword'),
            size: 'lg',
            tabIndex: 0,
          }}
          error={tried && password === '' ? t('error.passwordRequired') : undefined}
        />
        {/* Whoever forgot the password comes in by code and then sets a new one. */}
        <button
          type="button"
          className={`${classes['text']} ${classes['end']}`}
          onClick={() =>
            void navigate('/login', {
              state: { contact: contact.trim(), from: NEW_PASSWORD } satisfies SignInState,
            })
          }
        >
          {t('signIn.forgot')}
        </button>
        <Button type="submit" loading={login.isPending} fullWidth>
          {t('signIn.submit')}
        </Button>
        <div className={classes['links']}>
          <Link to="/login" state={{ ...state, contact: contact.trim(), demoPassword: undefined }}>
            {t('signIn.withCode')}
          </Link>
          <span>
            {t('signIn.noAccount')}
            <Link to="/register" state={{ ...state, demoPassword: undefined }}>
              {t('signIn.register')}
            </Link>
          </span>
        </div>
      </form>
      <DemoPanel
        onChoose={(account, demoPassword) => {
          setContact(account);
          setPassword(demoPassword);
          login.reset();
        }}
      />
    </>
  );
}
