// Every URL of the console (spec 2.1), from the table of pages. Pages load when they are first visited.
import { type ComponentType, useEffect, useLayoutEffect } from 'react';
import { Navigate, Outlet, type RouteObject, useLocation, useRoutes } from 'react-router';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';
import { loadArea } from '../i18n/i18n';
import { type Layout, type Page, pageAt, pages, pathsOf } from '../pages';
import { loadable } from '../ui/later';
import { CrashBoundary } from './crash';
import { FirstValues } from './first-values';
import { SignedIn, SignedOut } from './guard';
import { NotYet } from './not-yet';
import { ofFarm } from './page';
import { endStart } from './start';
import { useTitle } from './titles';

/** Around every page. Its parts are asked for at once, not each when the one before has come. */
function Titled() {
  useTitle();
  const page = pageAt(useLocation().pathname);
  useEffect(() => {
    if (page) window.harit?.fetchPage(page.path);
  }, [page]);
  return (
    <CrashBoundary>
      <Outlet />
    </CrashBoundary>
  );
}

/** A page that breaks leaves the frame: STOP is in it. */
function Kept() {
  return (
    <CrashBoundary>
      <Outlet />
    </CrashBoundary>
  );
}

/** A page with nothing around it. */
function Bare() {
  useLayoutEffect(endStart, []);
  return <Outlet />;
}

/** A page of which is noticed when it has shown its first values. */
function noticed(Shown: ComponentType): ComponentType {
  return () => (
    <>
      <Shown />
      <FirstValues />
    </>
  );
}

/** What a page's route shows. */
async function loadPage(page: Page): Promise<ComponentType> {
  const texts = page.texts && loadArea(page.texts);
  if (page.load) {
    const [module] = await Promise.all([page.load(), texts]);
    return noticed(module.default);
  }
  const [module] = await Promise.all([page.farm(), texts]);
  return noticed(ofFarm(module.default, page));
}

/** The routes of all pages with a layout. */
function withLayout(layout: Layout): RouteObject[] {
  return pages
    .filter((page) => (page.layout ?? 'main') === layout)
    .flatMap((page) => {
      const Shown = loadable(() => loadPage(page), {
        Meanwhile: layout === 'main' ? WaitingForFarm : undefined,
        Failed: NotYet,
      });
      return pathsOf(page).map((path) => ({ path, element: <Shown /> }));
    });
}

/** Until a layout is there, what index.html drew stands in its place. */
const around = (load: () => Promise<{ Component: ComponentType }>) =>
  loadable(async () => (await load()).Component, { Failed: NotYet });
const Main = around(() => import('./main-layout'));
const Onboarding = around(() => import('./onboarding-layout'));
const Wall = around(() => import('./wall-layout'));
const SignIn = around(() => import('./sign-in-layout'));

export const routes: RouteObject[] = [
  {
    element: <Titled />,
    children: [
      { element: <SignedOut />, children: [{ element: <SignIn />, children: withLayout('signIn') }] },
      {
        element: <SignedIn />,
        children: [
          { element: <Main />, children: [{ element: <Kept />, children: withLayout('main') }] },
          { element: <Onboarding />, children: withLayout('setup') },
          { element: <Wall />, children: withLayout('wall') },
        ],
      },
      {
        // Setting a forgotten password comes before onboarding, and after it too.
        element: <SignedIn atAnyStage />,
        children: [{ element: <SignIn />, children: withLayout('password') }],
      },
      // Open to whoever has the link, signed in or not.
      { element: <SignIn />, children: withLayout('open') },
      { element: <Bare />, children: withLayout('none') },
      { path: '*', element: <Navigate to="/dashboard" replace /> },
    ],
  },
];

/** The page at the address. */
export function Pages() {
  return useRoutes(routes);
}
