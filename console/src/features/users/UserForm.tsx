// The form of one person of the farm, new or known.
import { NativeSelect, Skeleton, TextInput } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { looksLikeEmail, looksLikeMobile } from '../../api/contact';
import { useUndelivered } from '../../api/delivery';
import type { Role } from '../../api/farms';
import type { FarmUser } from '../../api/people';
import { asLanguage, type Language, languages, ownNames } from '../../i18n/languages';
import { defaultRole, type RoleName, useRoleName, withRole } from '../../i18n/roles';
import { FormDialog } from '../../screen/FormDialog';
import { Banner } from '../../ui/Banner';

const Given = lazy(() => import('./Given'));

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  /** Whoever is edited; nobody when adding. */
  user: FarmUser | undefined;
  /** The roles that the person at the form may give. */
  roles: readonly Role[];
  /** Those of them whose people are given houses and devices. */
  gives: readonly Role[];
}

export function UserForm({ farmId, user, roles, gives, ...dialog }: Props) {
  const { t } = useTranslation();
  const roleName = useRoleName();
  const undelivered = useUndelivered();
  // Somebody who belongs to other farms too is changed by themselves alone; their role here is this farm's business.
  const own = user ? user.canEdit : true;
  const emailProblem = (email: string, phone: string) => {
    // Who has an address keeps one.
    if (email === '') return (phone === '' || Boolean(user?.email)) && t('error.emailRequired');
    return !looksLikeEmail(email) && t('error.emailInvalid');
  };
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t(user ? 'users.edit' : 'users.add')}
      failed={t('error.saveUser')}
      known={user}
      values={(known) => ({
        name: known?.name ?? '',
        email: known?.email ?? '',
        phone: known?.phone ?? '',
        role: (known?.role ?? defaultRole) as RoleName,
        languagePref: asLanguage(known?.languagePref) ?? ('en' as Language),
        polyhouses: known?.polyhouses ?? [],
        devices: known?.devices ?? [],
      })}
      check={({ name, email, phone }) =>
        own
          ? {
              name: name.trim() === '' && t('error.nameRequired'),
              email: emailProblem(email.trim(), phone.trim()),
              phone: phone.trim() !== '' && !looksLikeMobile(phone.trim()) && t('error.mobileInvalid'),
            }
          : {}
      }
      save={({ name, role, languagePref, polyhouses, devices, ...typed }, known, headers) => {
        const given = gives.includes(role) && { polyhouses, devices };
        const email = typed.email.trim();
        const phone = typed.phone.trim();
        const all = { name: name.trim(), role, languagePref, ...given, ...((known || phone) && { phone }) };
        return known
          ? api.PATCH('/api/farms/{farmId}/users/{userId}', {
              params: { path: { farmId, userId: known.id } },
              headers,
              body: own ? { ...all, ...(email && { email }) } : { role, ...given },
            })
          : api.POST('/api/farms/{farmId}/users', {
              params: { path: { farmId } },
              headers,
              body: { ...all, ...(email && { email }) },
            });
      }}
    >
      {(form, known) => (
        <>
          {!own && <Banner tone="quiet" text={t('users.elsewhere')} />}
          {!known && undelivered && <Banner tone="quiet" text={t('users.toldNothing')} />}
          <TextInput
            label={t('form.name')}
            name="name"
            required
            disabled={!own}
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          <TextInput
            label={t('register.email')}
            name="email"
            description={t('register.oneIsEnough')}
            type="email"
            inputMode="email"
            disabled={!own}
            autoComplete="off"
            {...form.getInputProps('email')}
          />
          <TextInput
            label={t('form.phone')}
            description={t('register.mobileHint')}
            name="phone"
            type="tel"
            inputMode="tel"
            disabled={!own}
            autoComplete="off"
            {...form.getInputProps('phone')}
          />
          <NativeSelect
            label={t('form.role')}
            data={withRole(roles, known?.role ?? defaultRole).map((value) => ({
              value,
              label: roleName(value),
            }))}
            {...form.getInputProps('role')}
          />
          {gives.includes(form.values.role) && (
            <Suspense fallback={<Skeleton height={160} radius="md" />}>
              <Given
                farmId={farmId}
                polyhouses={form.values.polyhouses}
                devices={form.values.devices}
                onPolyhouses={(chosen) => form.setFieldValue('polyhouses', chosen)}
                onDevices={(chosen) => form.setFieldValue('devices', chosen)}
              />
            </Suspense>
          )}
          <NativeSelect
            label={t('form.language')}
            disabled={!own}
            data={languages.map((value) => ({ value, label: ownNames[value] }))}
            {...form.getInputProps('languagePref')}
          />
        </>
      )}
    </FormDialog>
  );
}
