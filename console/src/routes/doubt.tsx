// While there is no connection, no page says that all is well now.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLostSince } from '../api/live-status';
import { useVerdictWords } from '../i18n/verdict';
import { AsOf } from '../ui/AsOf';

export function Doubt({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const words = useVerdictWords();
  const since = useLostSince();
  const asOf = since === undefined ? undefined : t('verdict.asOf', { time: words.instant(since) });
  return <AsOf value={asOf}>{children}</AsOf>;
}
