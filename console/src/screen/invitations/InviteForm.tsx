// Whom to invite, as what, in which language; then the link to pass on.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUndelivered } from '../../api/delivery';
import { problemAt } from '../../api/errors';
import type { Role } from '../../api/farms';
import { failureText } from '../../i18n/failure';
import { useLanguage } from '../../i18n/i18n';
import { type Language, languages, ownNames } from '../../i18n/languages';
import { defaultRole, type RoleName, useRoleName, withRole } from '../../i18n/roles';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { InviteLink } from './InviteLink';
import classes from './invitations.module.css';
import type { Inviting } from './useInvite';

/** How long it says that the invite was sent. */
const SAID_FOR_MS = 3_000;

interface Props {
  inviting: Inviting;
  /** The roles that the person at the form may give. */
  roles: readonly Role[];
  /** It was opened to be typed in: the field is ready for it. */
  ready?: boolean;
}

export function InviteForm({ inviting, roles, ready = false }: Props) {
  const { t } = useTranslation();
  const roleName = useRoleName();
  const undelivered = useUndelivered();
  const own = useLanguage();
  const [contact, setContact] = useState('');
  const [role, setRole] = useState<RoleName>(defaultRole);
  const [language, setLanguage] = useState<Language>(own);
  const [missing, setMissing] = useState(false);
  const [said, setSaid] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // Where it loads after the window around it, that has put the focus on its first button by then.
  useEffect(() => {
    if (ready) field.current?.focus();
  }, [ready]);
  const { data: made, error, isError, isPending, mutate, reset } = inviting;
  useEffect(() => {
    if (!made) return;
    setSaid(true);
    const timer = setTimeout(() => setSaid(false), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [made]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const to = contact.trim();
    setMissing(to === '');
    if (to !== '') {
      mutate({ contact: to, role, languagePref: language }, { onSuccess: () => setContact('') });
    }
  };
  const refused = problemAt(error, 'email') ?? problemAt(error, 'mobile');

  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      {made && said && !undelivered && (
        <Banner tone="good" text={t('setup.inviteSent', { contact: made.invite.contact })} />
      )}
      {made && undelivered && <Banner tone="warn" text={t('invitations.undelivered')} />}
      {made && <InviteLink made={made} />}
      {isError && <Banner tone="bad" text={failureText(t, error, t('error.sendInvite'))} />}
      <TextInput
        ref={field}
        data-autofocus={ready || undefined}
        label={t('signIn.contact')}
        name="contact"
        inputMode="email"
        autoComplete="off"
        value={contact}
        onChange={(event) => {
          setContact(event.currentTarget.value);
          if (isError) reset();
        }}
        error={missing && contact.trim() === '' ? t('error.contactRequired') : refused}
      />
      <div className={classes['row']}>
        <NativeSelect
          label={t('form.role')}
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as RoleName)}
          error={problemAt(error, 'role')}
          data={withRole(roles, role).map((value) => ({ value, label: roleName(value) }))}
        />
        <NativeSelect
          label={t('form.language')}
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value as Language)}
          error={problemAt(error, 'languagePref')}
          data={languages.map((value) => ({ value, label: ownNames[value] }))}
        />
      </div>
      <Button type="submit" variant={made ? 'default' : 'filled'} loading={isPending} fullWidth>
        {t('setup.invite')}
      </Button>
    </form>
  );
}
