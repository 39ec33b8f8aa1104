// The end of a forgotten password: signed in by code, the person sets a new one.
import '@mantine/core/styles/PasswordInput.css';
import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { answer, api } from '../../api/client';
import { problemAt } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { Link } from '../../screen/Link';
import { Banner } from '../../ui/Banner';
import classes from '../../ui/form.module.css';
import { PASSWORD_MIN } from './registration';
import { silenceRouting } from './silence';

export default function NewPassword() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const [visible, setVisible] = useState(false);
  const [tried, setTried] = useState(false);
  const save = useMutation({
    mutationFn: () => silenceRouting(answer(api.POST('/auth/set-password', { body: { password } }))),
    onSuccess: () => void navigate('/dashboard', { replace: true }),
  });
  const wrong =
    password === ''
      ? 'error.passwordRequired'
      : password.length < PASSWORD_MIN
        ? 'error.passwordShort'
        : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!wrong) save.mutate();
  };
  return (
    <form className={classes['form']} onSubmit={submit} noValidate>
      <div className={classes['head']}>
        <h1>{t('reset.newTitle')}</h1>
        <p>{t('reset.newHint')}</p>
      </div>
      {save.isError && <Banner tone="bad" text={failureText(t, save.error, t('error.setPassword'))} />}
      <PasswordInput
        label={t('reset.newPassword')}
        description={t('reset.rule')}
        name="new-password"
        autoComplete="new-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visible={visible}
        onVisibilityChange={setVisible}
        visibilityToggleButtonProps={{
          'aria-label': t(visible ? 'signIn.hidePassword' : 'signIn.showPassword'),
          size: 'lg',
          tabIndex: 0,
        }}
        error={tried && wrong ? t(wrong) : problemAt(save.error, 'password')}
      />
      <Button type="submit" loading={save.isPending} fullWidth>
        {t('reset.save')}
      </Button>
      <div className={classes['links']}>
        <Link to="/dashboard">{t('reset.later')}</Link>
      </div>
    </form>
  );
}
