// The layout of every page inside the application: frame, live connection of the chosen farm, and the page.
import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useLayoutEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, Outlet, useLocation } from 'react-router';
import { useFarms } from '../api/farms';
import { useLive } from '../api/live-status';
import { meQuery } from '../api/me';
import { isWorkersOwn } from '../api/work';
import { Frame } from '../features/shell/Frame';
import { PaletteButton } from '../features/shell/PaletteButton';
import { StopControl } from '../features/stop/StopControl';
import { StopStrip } from '../features/stop/StopStrip';
import { failureText } from '../i18n/failure';
import { FarmTimeZone } from '../i18n/format';
import { loadArea, useLanguage } from '../i18n/i18n';
import { pageAt } from '../pages';
import { Banner } from '../ui/Banner';
import { later } from '../ui/later';
import { Doubt } from './doubt';
import { useShown } from './first-values';
import { keepPages } from './keep-pages';
import { loadLive } from './load-live';
import { activeItem, barItems, treeFor } from './menu';
import { endStart } from './start';

const Aside = later(async () => (await import('../ui/Aside')).Aside);

/** After the page's first values, with its texts. */
const Exceptions = later(async () => {
  const [{ Exceptions: Strip }] = await Promise.all([
    import('../features/exceptions/Exceptions'),
    loadArea('exceptions'),
  ]);
  return Strip;
});

/** The pages of somebody who has but his own work in the farm. */
const WORKERS = ['/work', '/profile'];

export function Component() {
  useLayoutEffect(endStart, []);
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { farms, current, error, retry } = useFarms();
  const language = useLanguage();
  useEffect(() => keepPages(language), [language]);
  const ownWork = isWorkersOwn(current);
  // What happens from now on is told once there is something on screen that it can change.
  const isShown = useShown();
  useLive(isShown ? current?.id : undefined, loadLive);
  // Role, name or language may have changed since the sign-in; the stored user follows.
  useQuery({ ...meQuery, enabled: isShown });
  const page = (
    <Doubt>
      <Suspense>
        <Outlet />
      </Suspense>
    </Doubt>
  );
  const inZone = (children: ReactNode) =>
    // Without a zone of the farm's own the module's default stands.
    current && <FarmTimeZone value={current.timezone}>{children}</FarmTimeZone>;
  return (
    <Frame
      menu={
        ownWork
          ? undefined
          : { tree: treeFor(current), bar: barItems, active: activeItem(pathname), farmId: current?.id }
      }
      stop={inZone(current && <StopControl key={current.id} farmId={current.id} />)}
      find={current && !ownWork && <PaletteButton key={current.id} farm={current} tree={treeFor(current)} />}
      above={inZone(
        current && (
          <>
            <StopStrip key={current.id} farmId={current.id} />
            {!ownWork && <Exceptions key={`exceptions of ${current.id}`} farmId={current.id} />}
          </>
        ),
      )}
    >
      {error && !farms ? (
        <FarmsFailed
          title={t(pageAt(pathname)?.title ?? 'app.name')}
          text={`${t('header.farmsFailed')} ${failureText(t, error, '')}`.trim()}
          action={{ label: t('app.retry'), run: retry }}
        />
      ) : farms && !current ? (
        <Banner tone="quiet" text={t('app.noFarm')} />
      ) : (
        inZone(ownWork && !WORKERS.includes(pathname) ? <Navigate to="/work" replace /> : page) || page
      )}
      <Aside />
    </Frame>
  );
}

/** In place of a page, as long as it is not known of which farm. */
function FarmsFailed({
  title,
  ...said
}: {
  title: string;
  text: string;
  action: { label: string; run: () => void };
}) {
  return (
    <>
      <VisuallyHidden component="h1">{title}</VisuallyHidden>
      <Banner tone="warn" {...said} />
    </>
  );
}
