import { describe, expect, it } from 'vitest';
import { currentSession, forgetSession, restoreSession, signIn, type User, updateUser } from './session';

const user: User = {
  id: 'u1',
  name: 'Asha',
  email: 'asha@example.org',
  emailVerified: true,
  pendingEmail: null,
  phone: null,
  phoneVerified: false,
  pendingPhone: null,
  role: 'OWNER',
  languagePref: 'en',
  isActive: true,
  onboardingCompleted: false,
  createdAt: 0,
};

describe('restoreSession', () => {
  it('is authenticated with both token and user', () => {
    localStorage.setItem('token', 't');
    localStorage.setItem('user', JSON.stringify(user));
    restoreSession();
    expect(currentSession()).toEqual({ state: 'authenticated', token: 't', user });
  });

  it.each([
    ['token only', { token: 't' }],
    ['user only', { user: '{}' }],
    ['nothing', {}],
  ])('is anonymous with %s', (_, stored) => {
    for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value);
    restoreSession();
    expect(currentSession()).toEqual({ state: 'anonymous' });
  });

  it.each(['{broken', 'null', '[]', '"text"'])('removes both when the user is %s', (stored) => {
    localStorage.setItem('token', 't');
    localStorage.setItem('user', stored);
    restoreSession();
    expect(currentSession()).toEqual({ state: 'anonymous' });
    expect([localStorage.getItem('token'), localStorage.getItem('user')]).toEqual([null, null]);
  });
});

it('keeps a sign-in, merges changes, forgets', () => {
  signIn('t', user);
  expect(localStorage.getItem('token')).toBe('t');
  updateUser({ onboardingCompleted: true });
  expect(JSON.parse(localStorage.getItem('user') ?? '')).toEqual({ ...user, onboardingCompleted: true });
  expect(currentSession()).toMatchObject({ user: { name: 'Asha', onboardingCompleted: true } });
  forgetSession();
  expect([localStorage.getItem('token'), localStorage.getItem('user')]).toEqual([null, null]);
  expect(currentSession()).toEqual({ state: 'anonymous' });
});
