// Who is signed in: the token and the user kept in the browser's storage (keys `token` and `user`), as a small store that
// React reads with useSyncExternalStore. Nothing else touches these keys.
import { useSyncExternalStore } from 'react';
import type { components } from './schema';

/** The signed-in person, as the server describes them. */
export type User = components['schemas']['User'];

/** The state of the sign-in; `loading` only until the storage has been read. */
export type Session =
  | { state: 'loading' }
  | { state: 'anonymous' }
  | { state: 'authenticated'; token: string; user: User };

const TOKEN = 'token';
const USER = 'user';

let current: Session = { state: 'loading' };
const listeners = new Set<() => void>();

function become(next: Session): void {
  current = next;
  for (const listener of listeners) listener();
}

function parseUser(text: string): User | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as User) : undefined;
  } catch {
    return undefined;
  }
}

/** Takes token and user from storage. A user that cannot be read is as good as none: both keys go. */
export function restoreSession(): void {
  const token = localStorage.getItem(TOKEN);
  const stored = localStorage.getItem(USER);
  const user = stored === null ? undefined : parseUser(stored);
  if (stored !== null && user === undefined) {
    localStorage.removeItem(TOKEN);
    localStorage.removeItem(USER);
  }
  become(token && user ? { state: 'authenticated', token, user } : { state: 'anonymous' });
}

/** Keeps a fresh sign-in. */
export function signIn(token: string, user: User): void {
  localStorage.setItem(TOKEN, token);
  localStorage.setItem(USER, JSON.stringify(user));
  become({ state: 'authenticated', token, user });
}

/** Forgets the sign-in on this device. Telling the server is the caller's business. */
export function forgetSession(): void {
  localStorage.removeItem(TOKEN);
  localStorage.removeItem(USER);
  become({ state: 'anonymous' });
}

/** Merges the given fields into the stored user. */
export function updateUser(fields: Partial<User>): void {
  if (current.state !== 'authenticated') return;
  const user = { ...current.user, ...fields };
  localStorage.setItem(USER, JSON.stringify(user));
  become({ ...current, user });
}

/** The session right now, outside React. */
export function currentSession(): Session {
  return current;
}

/** The session, for components. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, currentSession);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows sign-in and sign-out in other tabs of the same browser. Returns how to stop. */
export function followOtherTabs(): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === TOKEN || event.key === USER || event.key === null) restoreSession();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
