// A new password in place of the old one; the first one of an account that has just come in by code.
import '@mantine/core/styles/PasswordInput.css';
import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { problemAt } from '../../api/errors';
import { keys } from '../../api/keys';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { Panel } from '../../ui/Panel';

const MIN = 8;

export function PasswordChange() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [current, setCurrent] = useState('');
  const [fresh, setFresh] = useState('');
  const [visible, setVisible] = useState(false);
  const [tried, setTried] = useState(false);
  const change = useMutation({
    mutationFn: () =>
      answer(
        current === ''
          ? api.POST('/auth/set-password', { body: { password: fresh } })
          : api.POST('/auth/change-password', { body: { currentPassword: current, password: fresh } }),
      ),
    onSuccess: () => {
      setCurrent('');
      setFresh('');
      setTried(false);
      // The other sign-ins have ended.
      return cache.invalidateQueries({ queryKey: keys.sessions });
    },
  });
  const wrong =
    fresh === '' ? 'error.passwordRequired' : fresh.length < MIN ? 'error.passwordShort' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!wrong) change.mutate();
  };
  const toggle = {
    visible,
    onVisibilityChange: setVisible,
    visibilityToggleButtonProps: {
      'aria-label': t(visible ? 'signIn.hidePassword' : 'signIn.showPassword'),
      size: 'lg',
      tabIndex: 0,
    },
  };
  return (
    <Panel title={t('profile.password')}>
      <form className={formClasses['form']} onSubmit={submit} noValidate>
        {change.isError && <Banner tone="bad" text={failureText(t, change.error, t('error.setPassword'))} />}
        {change.isSuccess && <Banner tone="good" text={t('profile.changed')} />}
        <PasswordInput
          label={t('profile.current')}
          description={t('profile.currentHint')}
          autoComplete="current-password"
          value={current}
          onChange={(event) => {
            setCurrent(event.currentTarget.value);
            if (!change.isIdle) change.reset();
          }}
          error={problemAt(change.error, 'currentPassword')}
          {...toggle}
        />
        <PasswordInput
          label={t('reset.newPassword')}
          description={t('reset.rule')}
          autoComplete="new-password"
          value={fresh}
          onChange={(event) => {
            setFresh(event.currentTarget.value);
            if (!change.isIdle) change.reset();
          }}
          error={tried && wrong ? t(wrong) : problemAt(change.error, 'password')}
          {...toggle}
        />
        <Button type="submit" loading={change.isPending}>
          {t('profile.change')}
        </Button>
      </form>
    </Panel>
  );
}
