import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { owner, serve, showConsole } from '../test-console';

const newcomer = { ...owner, onboardingCompleted: false };

describe('the guard', () => {
  it('leads strangers to the sign-in', async () => {
    serve();
    const { path } = showConsole('/tasks');
    await screen.findByRole('heading', { name: 'Welcome back' });
    expect(path()).toBe('/login');
  });

  it('remembers where they wanted to go', async () => {
    serve({ 'POST /auth/login': { body: { token: 't', user: owner, firstTime: false } } });
    const { path, person } = showConsole('/tasks');
    await person.click(await screen.findByRole('link', { name: 'Sign in with password' }));
    await person.type(await screen.findByLabelText('Password'), 'polyhouse-demo');
    await person.type(screen.getByLabelText('Email or mobile number'), 'owner@demo.harit');
    await person.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByRole('heading', { name: 'Tasks' });
    expect(path()).toBe('/tasks');
    expect(localStorage.getItem('token')).toBe('t');
  });

  it('leads the signed-in away from the sign-in', async () => {
    serve();
    const { path } = showConsole('/login', owner);
    await screen.findByRole('heading', { name: 'Dashboard' });
    expect(path()).toBe('/dashboard');
  });

  it.each(['/dashboard', '/tasks'])('leads from %s to onboarding until that is done', async (from) => {
    serve({ 'GET /auth/me': { body: { user: newcomer } } });
    const { path } = showConsole(from, newcomer);
    await screen.findByRole('heading', { level: 1, name: 'Assets' });
    expect(path()).toBe('/onboarding/assets');
  });

  it('leaves newcomers on every onboarding page', async () => {
    serve({ 'GET /auth/me': { body: { user: newcomer } } });
    const { path } = showConsole('/onboarding/users', newcomer);
    await screen.findByRole('heading', { level: 1, name: 'Users' });
    expect(path()).toBe('/onboarding/users');
  });

  it('leads from onboarding to the dashboard once it is done', async () => {
    serve();
    const { path } = showConsole('/onboarding/users', owner);
    await screen.findByRole('heading', { name: 'Dashboard' });
    expect(path()).toBe('/dashboard');
  });

  it('ends a session that the server refuses', async () => {
    serve({ 'GET /auth/me': { status: 401, body: { error: 'Sign in', code: 'unauthenticated' } } });
    const { path } = showConsole('/dashboard', owner);
    await waitFor(() => expect(path()).toBe('/login'));
    expect([localStorage.getItem('token'), localStorage.getItem('user')]).toEqual([null, null]);
  });

  it('keeps the session while the server is away', async () => {
    serve({ 'GET /auth/me': 'down', 'GET /api/farms': 'down' });
    const { path } = showConsole('/tasks', owner);
    await screen.findByText(/The list of your farms could not be loaded/);
    expect(path()).toBe('/tasks');
    expect(localStorage.getItem('token')).toBe('secret');
  });
});

it.each(['/', '/no/such/page', '/dashboard/deeper'])('%s leads to the dashboard', async (unknown) => {
  serve();
  const { path } = showConsole(unknown, owner);
  await screen.findByRole('heading', { name: 'Dashboard' });
  expect(path()).toBe('/dashboard');
});

it.each([
  ['/zones', 'Zones'],
  ['/nurseries', 'Nurseries'],
  ['/lifecycles', 'Life cycles'],
  ['/inventory', 'Inventory'],
  ['/templates', 'Templates'],
  ['/reports', 'Reports'],
  ['/sales/reports', 'Reports'],
  ['/sales/orders', 'Orders'],
  ['/polyhouses/zones', 'Zones'],
  ['/polyhouses/nurseries', 'Nurseries'],
  ['/polyhouses/lifecycles', 'Life cycles'],
])('%s is a page of its own', async (at, title) => {
  serve();
  const { path } = showConsole(at, owner);
  await screen.findByRole('heading', { level: 1, name: title });
  expect(path()).toBe(at);
});
