// Who may see which page (spec 2.2).
import { useTranslation } from 'react-i18next';
import { Navigate, Outlet, useLocation } from 'react-router';
import { useSession } from '../api/session';
import { Waiting } from '../ui/Waiting';

/** Pages of signed-in people. `atAnyStage`: whether or not their onboarding is finished. */
export function SignedIn({ atAnyStage = false }: { atAnyStage?: boolean }) {
  const { t } = useTranslation();
  const session = useSession();
  const { pathname, search } = useLocation();
  if (session.state === 'loading') return <Waiting text={t('app.loading')} />;
  if (session.state === 'anonymous') {
    return <Navigate to="/login" replace state={{ from: pathname + search }} />;
  }
  if (atAnyStage) return <Outlet />;
  const onboarding = pathname.startsWith('/onboarding');
  // Only a clear "no" leads to onboarding: a user stored by an older version may not say.
  if (session.user.onboardingCompleted === false && !onboarding) {
    return <Navigate to="/onboarding/assets" replace />;
  }
  if (session.user.onboardingCompleted === true && onboarding) return <Navigate to="/dashboard" replace />;
  return <Outlet />;
}

/** The sign-in pages: who is already signed in goes on. */
export function SignedOut() {
  const { t } = useTranslation();
  const session = useSession();
  const from = (useLocation().state as { from?: string } | null)?.from;
  if (session.state === 'loading') return <Waiting text={t('app.loading')} />;
  if (session.state === 'authenticated') return <Navigate to={from ?? '/dashboard'} replace />;
  return <Outlet />;
}
