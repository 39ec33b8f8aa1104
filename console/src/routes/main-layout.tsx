// The layout of every page inside the application: frame, live connection of the chosen farm, and the page.
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router';
import { useFarms } from '../api/farms';
import { useLive } from '../api/live';
import { meQuery } from '../api/me';
import { Frame } from '../features/shell/Frame';
import { failureText } from '../i18n/failure';
import { FarmTimeZone } from '../i18n/format';
import { Banner } from '../ui/Banner';

export function Component() {
  const { t } = useTranslation();
  const { farms, current, error, retry } = useFarms();
  useLive(current?.id);
  // Role, name or language may have changed since the sign-in; the stored user follows.
  useQuery(meQuery);
  const page = (
    <Suspense>
      <Outlet />
    </Suspense>
  );
  return (
    <Frame>
      {error && !farms ? (
        <Banner
          tone="warn"
          text={`${t('header.farmsFailed')} ${failureText(t, error, '')}`.trim()}
          action={{ label: t('app.retry'), run: retry }}
        />
      ) : farms && !current ? (
        <Banner tone="quiet" text={t('app.noFarm')} />
      ) : (
        // Without a zone of the farm's own the module's default stands.
        (current && <FarmTimeZone value={current.timezone}>{page}</FarmTimeZone>) || page
      )}
    </Frame>
  );
}
