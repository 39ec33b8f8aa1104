// Every URL of the console (spec 2.1). Pages load when they are first visited.
import { createBrowserRouter, Navigate, Outlet, type RouteObject } from 'react-router';
import { Crash } from './crash';
import { SignedIn, SignedOut } from './guard';
import { useTitle } from './titles';

/** Around every page. */
function Titled() {
  useTitle();
  return <Outlet />;
}

const coming = () => import('./coming');

/** Inside the main layout, without a screen of their own yet. */
const placeholders = [
  '/zones',
  '/nurseries',
  '/lifecycles',
  '/inventory',
  '/templates',
  '/reports',
  '/sales/reports',
  '/sales/orders',
  '/polyhouses/zones',
  '/polyhouses/nurseries',
  '/polyhouses/lifecycles',
];

export const routes: RouteObject[] = [
  {
    Component: Titled,
    ErrorBoundary: Crash,
    HydrateFallback: () => null,
    children: [
      {
        Component: SignedOut,
        children: [
          {
            lazy: () => import('./sign-in-layout'),
            children: [
              { path: '/login', lazy: () => import('./login') },
              { path: '/login/password', lazy: () => import('./login-password') },
              { path: '/login/email', lazy: () => import('./login-email') },
              { path: '/otp-verify', lazy: () => import('./otp-verify') },
              { path: '/register', lazy: () => import('./register') },
            ],
          },
        ],
      },
      {
        Component: SignedIn,
        children: [
          {
            lazy: () => import('./main-layout'),
            children: [
              {
                // A page that breaks, or cannot be loaded, leaves the frame: STOP is in it.
                ErrorBoundary: Crash,
                children: [
                  { path: '/dashboard', lazy: () => import('./dashboard') },
                  { path: '/polyhouses', lazy: () => import('./polyhouses') },
                  { path: '/reservoirs', lazy: () => import('./reservoirs') },
                  { path: '/tasks', lazy: () => import('./tasks') },
                  { path: '/alerts', lazy: () => import('./alerts') },
                  { path: '/notifications', lazy: () => import('./alerts') },
                  { path: '/automation/rules', lazy: () => import('./automation-rules') },
                  { path: '/automation/manual', lazy: () => import('./automation-manual') },
                  { path: '/automation/logs', lazy: () => import('./automation-logs') },
                  { path: '/history', lazy: () => import('./history') },
                  { path: '/users', lazy: () => import('./users') },
                  { path: '/profile', lazy: () => import('./profile') },
                  ...placeholders.map((path) => ({ path, lazy: coming })),
                ],
              },
            ],
          },
          {
            lazy: () => import('./onboarding-layout'),
            children: [
              { path: '/onboarding/assets', lazy: () => import('./onboarding-assets') },
              { path: '/onboarding/users', lazy: () => import('./onboarding-users') },
            ],
          },
        ],
      },
      {
        // Setting a forgotten password comes before onboarding, and after it too.
        element: <SignedIn atAnyStage />,
        children: [
          {
            lazy: () => import('./sign-in-layout'),
            children: [{ path: '/new-password', lazy: () => import('./new-password') }],
          },
        ],
      },
      {
        // Open to whoever has the link, signed in or not.
        lazy: () => import('./sign-in-layout'),
        children: [{ path: '/invite/:token?', lazy: () => import('./invite') }],
      },
      { path: '/sidebar-demo', lazy: () => import('./sidebar-demo') },
      { path: '*', element: <Navigate to="/dashboard" replace /> },
    ],
  },
];

export function createRouter() {
  return createBrowserRouter(routes);
}
