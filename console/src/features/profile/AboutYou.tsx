// Name, number and language of the person.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { looksLikeMobile } from '../../api/contact';
import { ApiError, problemAt } from '../../api/errors';
import { type User, updateUser, useSession } from '../../api/session';
import { failureText } from '../../i18n/failure';
import { changeLanguage } from '../../i18n/i18n';
import { asLanguage, type Language, languages, ownNames } from '../../i18n/languages';
import { Confirm } from '../../screen/Confirm';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { Panel } from '../../ui/Panel';
import { ContactCode } from './ContactCode';

export function AboutYou() {
  const { t } = useTranslation();
  const session = useSession();
  const user = session.state === 'authenticated' ? session.user : undefined;
  const [name, setName] = useState(user?.name ?? '');
  const [phone, setPhone] = useState(user?.phone ?? '');
  const [language, setLanguage] = useState<Language>(asLanguage(user?.languagePref) ?? 'en');
  const [tried, setTried] = useState(false);
  const save = useMutation({
    mutationFn: () =>
      answer(
        api.PATCH('/auth/me', {
          body: { name: name.trim(), phone: phone.trim(), languagePref: language },
        }),
      ),
    onSuccess: ({ user: saved }) => {
      updateUser(saved);
      void changeLanguage(language);
    },
  });
  const touch = () => {
    if (!save.isIdle) save.reset();
  };
  const unconfirmed = save.error instanceof ApiError && save.error.code === 'confirm_needed';
  const length = [...name.trim()].length;
  const wrongName = length === 0 ? 'error.nameRequired' : length < 2 ? 'error.nameShort' : undefined;
  const wrongPhone = phone.trim() !== '' && !looksLikeMobile(phone.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!wrongName && !wrongPhone) save.mutate();
  };
  return (
    <Panel title={t('profile.you')}>
      <form className={formClasses['form']} onSubmit={submit} noValidate>
        {save.isError && !unconfirmed && (
          <Banner tone="bad" text={failureText(t, save.error, t('error.saveProfile'))} />
        )}
        {save.isSuccess && <Banner tone="good" text={t('profile.saved')} />}
        <TextInput
          label={t('form.name')}
          name="name"
          autoComplete="name"
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            touch();
          }}
          error={tried && wrongName ? t(wrongName) : problemAt(save.error, 'name')}
        />
        {user?.email && <TextInput label={t('profile.email')} value={user.email} readOnly disabled />}
        <TextInput
          label={t('form.phone')}
          description={t('register.mobileHint')}
          name="phone"
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          value={phone}
          onChange={(event) => {
            setPhone(event.currentTarget.value);
            touch();
          }}
          error={tried && wrongPhone ? t('error.mobileInvalid') : problemAt(save.error, 'phone')}
        />
        <NativeSelect
          label={t('form.language')}
          value={language}
          onChange={(event) => {
            setLanguage(event.currentTarget.value as Language);
            touch();
          }}
          data={languages.map((value) => ({ value, label: ownNames[value] }))}
        />
        <Button type="submit" loading={save.isPending}>
          {t('form.save')}
        </Button>
      </form>
      {unconfirmed && <Confirm onConfirmed={() => save.mutate()} />}
      {unverifiedOf(user).map((contact) => (
        <ContactCode key={contact} contact={contact} />
      ))}
    </Panel>
  );
}

/** The contacts that somebody has written down and nobody has verified. */
function unverifiedOf(user: User | undefined): string[] {
  if (!user) return [];
  const email = user.emailVerified ? user.pendingEmail : user.email;
  const phone = user.phoneVerified ? user.pendingPhone : user.phone;
  return [email, phone].filter((contact) => typeof contact === 'string');
}
