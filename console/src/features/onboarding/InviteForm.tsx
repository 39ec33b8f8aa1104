// Whom to invite, as what, in which language.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { useUndelivered } from '../../api/delivery';
import { problemAt } from '../../api/errors';
import { useFarms } from '../../api/farms';
import { keys } from '../../api/keys';
import { failureText } from '../../i18n/failure';
import { type Language, languages, ownNames } from '../../i18n/languages';
import { defaultRole, type RoleName, useRoleName, withRole } from '../../i18n/roles';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import classes from './onboarding.module.css';

/** How long it says that the invite was sent. */
const SAID_FOR_MS = 3_000;

export function InviteForm() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { current } = useFarms();
  const roleName = useRoleName();
  const undelivered = useUndelivered();
  const [contact, setContact] = useState('');
  const [role, setRole] = useState<RoleName>(defaultRole);
  const [language, setLanguage] = useState<Language>('en');
  const [missing, setMissing] = useState(false);
  const send = useMutation({
    mutationFn: (to: string) =>
      answer(
        api.POST('/onboarding/invite-user', {
          // Whoever has an @ is an address, as at the sign-in.
          body: { role, languagePref: language, ...(to.includes('@') ? { email: to } : { mobile: to }) },
        }),
      ),
    onSuccess: () => {
      setContact('');
      return cache.invalidateQueries({ queryKey: keys.invites });
    },
  });
  const { isSuccess, reset } = send;
  useEffect(() => {
    if (!isSuccess) return;
    const timer = setTimeout(reset, SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [isSuccess, reset]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const to = contact.trim();
    setMissing(to === '');
    if (to !== '') send.mutate(to);
  };
  const field = problemAt(send.error, 'email') ?? problemAt(send.error, 'mobile');

  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      {isSuccess && (
        <Banner
          tone={undelivered ? 'warn' : 'good'}
          text={t(undelivered ? `delivery.${undelivered}` : 'setup.inviteSent', {
            contact: send.data.invite.contact,
          })}
        />
      )}
      {send.isError && <Banner tone="bad" text={failureText(t, send.error, t('error.sendInvite'))} />}
      <TextInput
        label={t('signIn.contact')}
        name="contact"
        inputMode="email"
        autoComplete="off"
        value={contact}
        onChange={(event) => {
          setContact(event.currentTarget.value);
          if (send.isError) send.reset();
        }}
        error={missing && contact.trim() === '' ? t('error.contactRequired') : field}
      />
      <div className={classes['row']}>
        <NativeSelect
          label={t('form.role')}
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as RoleName)}
          error={problemAt(send.error, 'role')}
          data={withRole(current?.manages ?? [], role).map((value) => ({ value, label: roleName(value) }))}
        />
        <NativeSelect
          label={t('form.language')}
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value as Language)}
          error={problemAt(send.error, 'languagePref')}
          data={languages.map((value) => ({ value, label: ownNames[value] }))}
        />
      </div>
      <Button type="submit" loading={send.isPending} fullWidth>
        {t('setup.invite')}
      </Button>
    </form>
  );
}
