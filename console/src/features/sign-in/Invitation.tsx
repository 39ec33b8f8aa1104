// Whoever holds an invite's link sees who invites to which farm as what, and joins (product: invites).
import '@mantine/core/styles/PasswordInput.css';
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useParams } from 'react-router';
import { answer, api } from '../../api/client';
import { ApiError, problemAt } from '../../api/errors';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import { failureText } from '../../i18n/failure';
import { useRoleName } from '../../i18n/roles';
import { Link } from '../../screen/Link';
import { Banner } from '../../ui/Banner';
import classes from '../../ui/form.module.css';
import { Waiting } from '../../ui/Waiting';
import { useEnter } from './entry';
import { NAME_MIN, PASSWORD_MIN } from './registration';

export default function Invitation() {
  const { t } = useTranslation();
  // The part after # reaches no server and no log of paths; older links have the token in the path.
  const { token: inPath } = useParams();
  const { hash } = useLocation();
  const token = inPath ?? hash.slice(1);
  const invite = useQuery({
    queryKey: keys.invite(token),
    queryFn: () => answer(api.POST('/onboarding/invite/open', { body: { token } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (invite.isPending) return <Waiting text={t('app.loading')} />;
  if (invite.isError) {
    const gone = invite.error instanceof ApiError && invite.error.status === 404;
    return (
      <div className={classes['form']}>
        <div className={classes['head']}>
          <h1>{t('invite.title')}</h1>
        </div>
        <Banner
          tone="warn"
          text={gone ? t('invite.gone') : failureText(t, invite.error, t('error.fetchInvite'))}
          {...(!gone && { action: { label: t('app.retry'), run: () => void invite.refetch() } })}
        />
        <div className={classes['links']}>
          <Link to="/login">{t('signIn.toSignIn')}</Link>
        </div>
      </div>
    );
  }
  return <Acceptance token={token} invite={invite.data.invite} />;
}

/** A link that was passed on by hand leads to an account that no code reaches: its password is the only way back in. */
function passwordProblem({ hasAccount, shared }: Props['invite'], password: string) {
  if (hasAccount) return undefined;
  if (password === '') return shared ? 'error.passwordRequired' : undefined;
  return password.length < PASSWORD_MIN ? 'error.passwordShort' : undefined;
}

interface Props {
  token: string;
  invite: components['schemas']['InviteForGuest'];
}

function Acceptance({ token, invite }: Props) {
  const { t } = useTranslation();
  const enter = useEnter();
  const roleName = useRoleName();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [visible, setVisible] = useState(false);
  const [tried, setTried] = useState(false);
  const accept = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/onboarding/invite/accept', {
          body: {
            token,
            ...(!invite.hasAccount && { name: name.trim() }),
            ...(password !== '' && { password }),
          },
        }),
      ),
    onSuccess: enter,
  });
  const length = [...name.trim()].length;
  const wrongName = invite.hasAccount
    ? undefined
    : length === 0
      ? 'error.nameRequired'
      : length < NAME_MIN
        ? 'error.nameShort'
        : undefined;
  const wrongPassword = passwordProblem(invite, password);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!wrongName && !wrongPassword) accept.mutate();
  };
  return (
    <form className={classes['form']} onSubmit={submit} noValidate>
      <div className={classes['head']}>
        <h1>{t('invite.title')}</h1>
        <p>
          {t('invite.text', {
            inviter: invite.invitedBy,
            farm: invite.farmName,
            role: roleName(invite.role),
          })}
        </p>
        <p>{t('invite.for', { contact: invite.contact })}</p>
      </div>
      {accept.isError && <Banner tone="bad" text={failureText(t, accept.error, t('error.acceptInvite'))} />}
      {!invite.hasAccount && (
        <TextInput
          label={t('invite.name')}
          name="name"
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={tried && wrongName ? t(wrongName) : problemAt(accept.error, 'name')}
        />
      )}
      <PasswordInput
        label={t('signIn.password')}
        description={
          invite.shared && !invite.hasAccount
            ? t('invite.setPassword', { contact: invite.contact })
            : t(invite.hasAccount ? 'invite.ownPassword' : 'register.passwordHint')
        }
        required={invite.shared && !invite.hasAccount}
        name="password"
        autoComplete={invite.hasAccount ? 'current-password' : 'new-password'}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visible={visible}
        onVisibilityChange={setVisible}
        visibilityToggleButtonProps={{
          'aria-label': t(visible ? 'signIn.hidePassword' : 'signIn.showPassword'),
          size: 'lg',
          tabIndex: 0,
        }}
        error={tried && wrongPassword ? t(wrongPassword) : problemAt(accept.error, 'password')}
      />
      <Button type="submit" loading={accept.isPending} fullWidth>
        {t('invite.accept')}
      </Button>
    </form>
  );
}
