// Signing out: on this device at once, whether or not the server hears of it.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api } from '../api/client';
import { currentSession, forgetSession } from '../api/session';

/** Leads to the sign-in, forgets everything that was read, and then tells the server. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  const cache = useQueryClient();
  return async () => {
    const session = currentSession();
    forgetSession();
    // What is still on screen must not ask again, without a sign-in, for what is cleared.
    await navigate('/login');
    cache.clear();
    if (session.state !== 'authenticated') return;
    // Nothing is asked with the token any more, so nothing is refused. A sign-in that is not used ends by itself.
    const headers = { Authorization: `Bearer ${session.token}` };
    await api.POST('/auth/logout', { headers, keepalive: true }).catch(() => undefined);
  };
}
