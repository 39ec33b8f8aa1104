// The form of one person of the farm, new or known.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { looksLikeEmail, looksLikeMobile } from '../../api/contact';
import { useUndelivered } from '../../api/delivery';
import { problemAt } from '../../api/errors';
import type { Role } from '../../api/farms';
import type { FarmUser } from '../../api/people';
import { failureText } from '../../i18n/failure';
import { asLanguage, type Language, languages, ownNames } from '../../i18n/languages';
import { defaultRole, type RoleName, rolesToGive, useRoleName } from '../../i18n/roles';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { useSaveUser } from './queries';
import classes from './Users.module.css';

interface Props {
  farmId: string;
  /** Whoever is edited; nobody when adding. */
  user: FarmUser | undefined;
  /** The role of the person at the form. */
  mine: Role;
  onDone: () => void;
}

export function UserForm({ farmId, user, mine, onDone }: Props) {
  const { t } = useTranslation();
  const roleName = useRoleName();
  const undelivered = useUndelivered();
  const save = useSaveUser(farmId);
  const [name, setName] = useState(user?.name ?? '');
  const [email, setEmail] = useState(user?.email ?? '');
  const [phone, setPhone] = useState(user?.phone ?? '');
  const [role, setRole] = useState<RoleName>(user?.role ?? defaultRole);
  const [language, setLanguage] = useState<Language>(asLanguage(user?.languagePref) ?? 'en');
  const [tried, setTried] = useState(false);
  // Somebody who belongs to other farms too is changed by themselves alone; their role here is this farm's business.
  const own = user ? user.canEdit : true;

  const wrong = {
    name: name.trim() === '' ? t('error.nameRequired') : undefined,
    email:
      email.trim() === ''
        ? user && !user.email && phone.trim() !== ''
          ? undefined
          : t('error.emailRequired')
        : looksLikeEmail(email.trim())
          ? undefined
          : t('error.emailInvalid'),
    phone: phone.trim() === '' || looksLikeMobile(phone.trim()) ? undefined : t('error.mobileInvalid'),
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (own && (wrong.name || wrong.email || wrong.phone)) return;
    const typed = email.trim();
    const fields = own
      ? {
          name: name.trim(),
          ...(typed && { email: typed }),
          ...((user || phone.trim()) && { phone: phone.trim() }),
          role,
          languagePref: language,
        }
      : { role };
    save.mutate({ id: user?.id, fields }, { onSuccess: onDone });
  };

  const known = rolesToGive(mine);
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      {save.isError && <Banner tone="bad" text={failureText(t, save.error, t('error.saveUser'))} />}
      {!own && <Banner tone="quiet" text={t('users.elsewhere')} />}
      {!user && undelivered && <Banner tone="quiet" text={t('users.toldNothing')} />}
      <TextInput
        label={t('form.name')}
        name="name"
        required
        disabled={!own}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={(tried && wrong.name) || problemAt(save.error, 'name')}
      />
      <TextInput
        label={t('register.email')}
        name="email"
        type="email"
        inputMode="email"
        required
        disabled={!own}
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={(tried && wrong.email) || problemAt(save.error, 'email')}
      />
      <TextInput
        label={t('form.phone')}
        description={t('register.mobileHint')}
        name="phone"
        type="tel"
        inputMode="tel"
        disabled={!own}
        autoComplete="off"
        value={phone}
        onChange={(event) => setPhone(event.currentTarget.value)}
        error={(tried && wrong.phone) || problemAt(save.error, 'phone')}
      />
      <NativeSelect
        label={t('form.role')}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as RoleName)}
        error={problemAt(save.error, 'role')}
        data={(known.includes(role) ? known : [role, ...known]).map((value) => ({
          value,
          label: roleName(value),
        }))}
      />
      <NativeSelect
        label={t('form.language')}
        value={language}
        disabled={!own}
        onChange={(event) => setLanguage(event.currentTarget.value as Language)}
        error={problemAt(save.error, 'languagePref')}
        data={languages.map((value) => ({ value, label: ownNames[value] }))}
      />
      <div className={classes['buttons']}>
        <Button variant="default" onClick={onDone}>
          {t('form.cancel')}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {t('form.save')}
        </Button>
      </div>
    </form>
  );
}
