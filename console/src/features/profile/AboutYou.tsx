// Name, number and language of the person.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { looksLikeMobile } from '../../api/contact';
import { problemAt } from '../../api/errors';
import { updateUser, useSession } from '../../api/session';
import { failureText } from '../../i18n/failure';
import { changeLanguage } from '../../i18n/i18n';
import { asLanguage, type Language, languages, ownNames } from '../../i18n/languages';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { Panel } from '../../ui/Panel';

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
        {save.isError && <Banner tone="bad" text={failureText(t, save.error, t('error.saveProfile'))} />}
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
    </Panel>
  );
}
