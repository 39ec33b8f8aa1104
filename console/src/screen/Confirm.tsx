// Who changes a contact shows first that it is them: whoever found this browser open must not become the account.
import { useTranslation } from 'react-i18next';
import { answer, api } from '../api/client';
import { CodeForm } from './CodeForm';

export function Confirm({ onConfirmed }: { onConfirmed: () => void }) {
  const { t } = useTranslation();
  return (
    <CodeForm
      text={t('screen.confirm.ask')}
      failed={t('error.saveProfile')}
      label={t('screen.confirm.yes')}
      orPassword
      send={async () => (await answer(api.POST('/auth/confirm/code'))).maskedContact}
      confirm={({ otp, password }) =>
        answer(api.POST('/auth/confirm', { body: password === undefined ? { otp } : { password } }))
      }
      onConfirmed={onConfirmed}
    />
  );
}
