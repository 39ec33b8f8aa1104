// What programs get in by: the person's tokens, and the farm's accounts that read by MQTT.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FarmPageProps } from '../../api/farms';
import { useMay } from '../../api/permissions';
import { PageLayout } from '../../ui/PageLayout';
import { FarmTokens } from './FarmTokens';
import { Integrations } from './Integrations';
import type { Shown } from './queries';
import { ShownOnce } from './ShownOnce';
import { Tokens } from './Tokens';

export default function Access({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const mayEnd = useMay()('tokens:end');
  const [shown, show] = useState<Shown>();
  return (
    <PageLayout title={t('nav.tokens')} about={t('tokens.about')}>
      <Tokens farmId={farmId} onMade={show} />
      {mayEnd && <FarmTokens farmId={farmId} />}
      {writes && <Integrations farmId={farmId} onMade={show} />}
      <ShownOnce shown={shown} onClose={() => show(undefined)} />
    </PageLayout>
  );
}
