// A page's place until it is known which farm to show.
import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export function WaitingForFarm() {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t('app.loading')}>
      <Skeleton height={36} width="min(14rem, 60%)" />
      <Skeleton height={220} mt="lg" radius="lg" />
    </div>
  );
}
