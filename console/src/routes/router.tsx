// Every URL of the console (spec 2.1), from the table of pages. Pages load when they are first visited.
import { createBrowserRouter, Navigate, Outlet, type RouteObject } from 'react-router';
import { loadArea } from '../i18n/i18n';
import { type Layout, type Page, pages, pathsOf } from '../pages';
import { Crash } from './crash';
import { SignedIn, SignedOut } from './guard';
import { useTitle } from './titles';

/** Around every page. */
function Titled() {
  useTitle();
  return <Outlet />;
}

/** What a page's route shows. */
async function lazily(page: Page) {
  const texts = page.texts && loadArea(page.texts);
  if (page.load) {
    const [module] = await Promise.all([page.load(), texts]);
    return { Component: module.default };
  }
  const [{ ofFarm }, module] = await Promise.all([import('./page'), page.farm(), texts]);
  return { Component: ofFarm(module.default, page) };
}

/** The routes of all pages with a layout. */
function withLayout(layout: Layout): RouteObject[] {
  return pages
    .filter((page) => (page.layout ?? 'main') === layout)
    .flatMap((page) => pathsOf(page).map((path) => ({ path, lazy: () => lazily(page) })));
}

const signInLayout = () => import('./sign-in-layout');

export const routes: RouteObject[] = [
  {
    Component: Titled,
    ErrorBoundary: Crash,
    HydrateFallback: () => null,
    children: [
      { Component: SignedOut, children: [{ lazy: signInLayout, children: withLayout('signIn') }] },
      {
        Component: SignedIn,
        children: [
          {
            lazy: () => import('./main-layout'),
            // A page that breaks, or cannot be loaded, leaves the frame: STOP is in it.
            children: [{ ErrorBoundary: Crash, children: withLayout('main') }],
          },
          { lazy: () => import('./onboarding-layout'), children: withLayout('setup') },
          { lazy: () => import('./wall-layout'), children: withLayout('wall') },
        ],
      },
      {
        // Setting a forgotten password comes before onboarding, and after it too.
        element: <SignedIn atAnyStage />,
        children: [{ lazy: signInLayout, children: withLayout('password') }],
      },
      // Open to whoever has the link, signed in or not.
      { lazy: signInLayout, children: withLayout('open') },
      ...withLayout('none'),
      { path: '*', element: <Navigate to="/dashboard" replace /> },
    ],
  },
];

export function createRouter() {
  return createBrowserRouter(routes);
}
