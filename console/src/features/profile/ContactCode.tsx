// Shows by a code that a contact is one's own: it signs in, and receives invitations, only from then on.
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { updateUser } from '../../api/session';
import { CodeForm } from '../../screen/CodeForm';

export function ContactCode({ contact }: { contact: string }) {
  const { t } = useTranslation();
  return (
    <CodeForm
      text={t('profile.unverified', { contact })}
      failed={t('error.sendOtp')}
      label={t('otp.verify')}
      send={async () => {
        await answer(api.POST('/auth/contacts/code', { body: { contact } }));
        return contact;
      }}
      confirm={({ otp }) => answer(api.POST('/auth/contacts/verify', { body: { contact, otp } }))}
      onConfirmed={({ user }) => updateUser(user)}
    />
  );
}
