// A new account (spec 2.7).
import '@mantine/core/styles/PasswordInput.css';
import { Button, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Pin from '~icon/MapPin';
import { answer, api } from '../../api/client';
import { looksLikeMobile } from '../../api/contact';
import { problemAt } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { Link } from '../../screen/Link';
import { Banner } from '../../ui/Banner';
import classes from '../../ui/form.module.css';
import { useEnter, useSignInState } from './entry';
import { useLocate } from './locate';
import { type Registration, registrationBody, registrationProblems } from './registration';
import { silenceRouting } from './silence';

export default function Register() {
  const { t } = useTranslation();
  const enter = useEnter();
  const state = useSignInState();
  const [given, setGiven] = useState<Registration>({
    name: '',
    email: state.contact?.includes('@') ? state.contact : '',
    mobile: state.contact && looksLikeMobile(state.contact) ? state.contact : '',
    address: '',
    password: '',
  });
  const [tried, setTried] = useState(false);
  const [visible, setVisible] = useState(false);
  const place = useLocate();
  const register = useMutation({
    mutationFn: () =>
      silenceRouting(answer(api.POST('/auth/register', { body: registrationBody(given, place.location) }))),
    onSuccess: enter,
  });
  const problems = registrationProblems(given);

  const field = (name: keyof Registration) => {
    const wrong = tried ? problems[name] : undefined;
    return {
      name,
      value: given[name],
      error: wrong ? t(wrong) : problemAt(register.error, name),
      onChange: (event: { currentTarget: { value: string } }) => {
        const { value } = event.currentTarget;
        setGiven((before) => ({ ...before, [name]: value }));
        if (register.isError) register.reset();
      },
    };
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length === 0) register.mutate();
  };

  return (
    <form className={classes['form']} onSubmit={submit} noValidate>
      <div className={classes['head']}>
        <h1>{t('signIn.registerTitle')}</h1>
        <p>{t('register.hint')}</p>
      </div>
      {register.isError && <Banner tone="bad" text={failureText(t, register.error, t('error.register'))} />}
      <TextInput label={t('register.name')} autoComplete="name" required {...field('name')} />
      <TextInput
        label={t('register.email')}
        description={t('register.oneIsEnough')}
        type="email"
        inputMode="email"
        autoComplete="email"
        {...field('email')}
      />
      <TextInput
        label={t('register.mobile')}
        description={t('register.mobileHint')}
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        {...field('mobile')}
      />
      <PasswordInput
        label={t('register.password')}
        description={t('register.passwordHint')}
        autoComplete="new-password"
        visible={visible}
        onVisibilityChange={setVisible}
        visibilityToggleButtonProps={{
          'aria-label': t(visible ? 'signIn.hidePassword' : 'signIn.showPassword'),
          size: 'lg',
          tabIndex: 0,
        }}
        {...field('password')}
      />
      <Textarea
        label={t('register.address')}
        autoComplete="street-address"
        autosize={false}
        rows={2}
        {...field('address')}
      />
      {place.failure && <Banner tone="warn" text={t(place.failure)} />}
      {place.location ? (
        <Banner
          tone="good"
          text={t('register.located')}
          action={{ label: t('register.forgetLocation'), run: place.forget }}
        />
      ) : (
        <Button
          variant="default"
          leftSection={<Pin size={20} aria-hidden />}
          loading={place.busy}
          onClick={place.ask}
        >
          {t('register.locate')}
        </Button>
      )}
      <Button type="submit" loading={register.isPending} fullWidth>
        {t('signIn.register')}
      </Button>
      <div className={classes['links']}>
        <span>
          {t('signIn.haveAccount')}
          <Link
            to="/login"
            state={{ ...state, contact: given.email.trim() || given.mobile.trim() || state.contact }}
          >
            {t('signIn.toSignIn')}
          </Link>
        </span>
      </div>
    </form>
  );
}
