// What happens when the server has let somebody in, whichever way they came.
import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from 'react-router';
import type { components } from '../../api/schema';
import { signIn } from '../../api/session';
import { changeLanguage, storedLanguage } from '../../i18n/i18n';
import { asLanguage } from '../../i18n/languages';

type Admission = components['schemas']['SignedIn'];

/** What the sign-in pages hand to each other in the navigation state. */
export interface SignInState {
  /** Typed so far. */
  contact?: string;
  /** As the server shows it after sending a code. */
  maskedContact?: string;
  /** Filled in from the demo's panel, never from anything else. */
  demoPassword?: string;
  /** Where the guard stopped the person. */
  from?: string;
}

/** Where a forgotten password ends: signed in by code, at setting a new one. */
export const NEW_PASSWORD = '/new-password';

const nothing: SignInState = {};

/** The navigation state of a sign-in page. */
export function useSignInState(): SignInState {
  return (useLocation().state as SignInState | null) ?? nothing;
}

/** Keeps the session and leads on: to onboarding the first time, else where the person wanted to go. */
export function useEnter(): (admission: Admission) => void {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { from } = useSignInState();
  return (admission) => {
    // Nothing that another person's session loaded may show.
    cache.clear();
    signIn(admission.token, admission.user);
    const preferred = asLanguage(admission.user.languagePref);
    // A choice made on this device outranks the profile.
    if (preferred && !storedLanguage()) void changeLanguage(preferred);
    const firstTime = admission.firstTime && from !== NEW_PASSWORD;
    void navigate(firstTime ? '/onboarding/assets' : (from ?? '/dashboard'), { replace: true });
  };
}
