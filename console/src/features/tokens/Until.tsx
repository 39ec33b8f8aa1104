// Until when a token is good.
import { useTranslation } from 'react-i18next';
import { useWhen } from '../../i18n/when';
import { StatePill } from '../../ui/StatePill';

export function Until({ expired, expiresAt }: { expired: boolean; expiresAt: number | null }) {
  const { t } = useTranslation();
  const when = useWhen();
  if (expired) return <StatePill tone="bad" word={t('tokens.ended')} />;
  return expiresAt === null ? t('tokens.open') : when(expiresAt);
}
