import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, owner, serve, showConsole } from '../../test-console';

afterEach(() => forgetSession());

const admission = { token: 't', user: owner, firstTime: false };

async function codeForm(answers: Record<string, Answer> = {}) {
  const server = serve({ 'POST /api/auth/request-email-otp': { status: 202, body: {} }, ...answers });
  const view = showConsole('/login/email');
  await view.person.type(await screen.findByLabelText('Email'), 'asha@farm.in');
  await view.person.click(screen.getByRole('button', { name: 'Send code' }));
  await screen.findByText('If the email exists, we sent a code.');
  const boxes = screen.getAllByRole<HTMLInputElement>('textbox');
  const verify = (digits: string) => {
    fireEvent.paste(boxes[0] as HTMLElement, { clipboardData: { getData: () => digits } });
    fireEvent.click(screen.getByRole('button', { name: 'Verify' }));
  };
  return { ...view, server, boxes, verify };
}

describe('/login/email', () => {
  it('asks for an address', async () => {
    serve();
    const { person } = showConsole('/login/email');
    await person.click(await screen.findByRole('button', { name: 'Send code' }));
    expect(screen.getByText('Email is required')).toBeDefined();
    await person.type(screen.getByLabelText('Email'), 'asha');
    expect(screen.getByText('Invalid email format')).toBeDefined();
  });

  it('verifies six digits and opens the dashboard', async () => {
    const { server, verify, path } = await codeForm({
      'POST /api/auth/verify-email-otp': { body: admission },
    });
    verify('123456');
    await waitFor(() => expect(path()).toBe('/dashboard'));
    expect(server.calls.find(({ call }) => call === 'POST /api/auth/verify-email-otp')?.body).toEqual({
      email: 'asha@farm.in',
      code: '123456',
    });
  });

  it.each([
    ['its own words', { status: 401, body: {} }, 'Invalid or expired code'],
    ['the message field', { status: 401, body: { message: 'That code is old' } }, 'That code is old'],
    ['network trouble', 'down', 'Network error. Please check your connection and try again.'],
  ] as [string, Answer, string][])('shows %s and starts again at the first box', async (_, reply, words) => {
    const { verify, boxes } = await codeForm({ 'POST /api/auth/verify-email-otp': reply });
    verify('123456');
    expect((await screen.findByRole('alert')).textContent).toBe(words);
    expect(boxes.map((box) => box.value).join('')).toBe('');
    expect(document.activeElement === boxes[0]).toBe(true);
  });

  it('wants all six digits', async () => {
    const { verify } = await codeForm();
    verify('12345');
    expect(screen.getByRole('alert').textContent).toBe('Please enter the complete 6-digit OTP');
  });
});

describe('a forgotten password', () => {
  it('goes through a code to setting a new one', async () => {
    const server = serve({
      'POST /auth/send-otp': { body: { maskedContact: 'a***@farm.in' } },
      'POST /auth/verify-otp': { body: admission },
      'POST /auth/set-password': { status: 204 },
    });
    const { person, path, router } = showConsole('/login/password');
    await person.type(await screen.findByLabelText('Email or mobile number'), 'asha@farm.in');
    await person.click(screen.getByRole('button', { name: 'Forgot your password?' }));
    await screen.findByRole('heading', { name: 'Forgot your password?' });
    await person.click(await screen.findByRole('button', { name: 'Send code' }));
    await screen.findByRole('heading', { name: 'Enter the code' });
    fireEvent.paste(screen.getAllByRole('textbox')[0] as HTMLElement, {
      clipboardData: { getData: () => '123456' },
    });
    await person.click(screen.getByRole('button', { name: 'Verify' }));
    await screen.findByRole('heading', { name: 'Set a new password' });
    expect(router.state.location.pathname).toBe('/new-password');
    await person.type(screen.getByLabelText('New password'), 'short');
    await person.click(screen.getByRole('button', { name: 'Save password' }));
    expect(screen.getByText('Password must be at least 8 characters')).toBeDefined();
    await person.type(screen.getByLabelText('New password'), '-but-long');
    await person.click(screen.getByRole('button', { name: 'Save password' }));
    await waitFor(() => expect(path()).toBe('/dashboard'));
    expect(server.calls.find(({ call }) => call === 'POST /auth/set-password')?.body).toEqual({
      password: 'short-but-long',
    });
  });

  it('begins with a code for strangers', async () => {
    serve();
    const { path } = showConsole('/new-password');
    await screen.findByRole('heading', { name: 'Forgot your password?' });
    expect(path()).toBe('/login');
  });
});

describe('the outbox of a demo', () => {
  const demo = {
    'GET /api/demo': {
      body: { farm: 'demo-farm-1', users: ['owner@demo.harit'], password: 'polyhouse-demo' },
    },
    'GET /api/demo/outbox': {
      body: {
        messages: [
          { id: 'm2', to: 'asha@farm.in', kind: 'CODE', code: '424242', link: null, createdAt: 2 },
          { id: 'm1', to: 'asha@farm.in', kind: 'INVITE', code: null, link: '/invite/x', createdAt: 1 },
        ],
      },
    },
  };

  it('shows its codes, and fills one in', async () => {
    const { verify: _, ...view } = await codeForm({
      ...demo,
      'POST /api/auth/verify-email-otp': { body: admission },
    });
    await view.person.click(await screen.findByRole('button', { name: 'Fill in 424242 for asha@farm.in' }));
    expect(view.boxes.map((box) => box.value).join('')).toBe('424242');
    expect(screen.queryByText('/invite/x')).toBeNull();
  });

  it('is asked for in a demo alone', async () => {
    const { server } = await codeForm();
    expect(server.calls.some(({ call }) => call === 'GET /api/demo')).toBe(true);
    expect(server.calls.some(({ call }) => call === 'GET /api/demo/outbox')).toBe(false);
  });
});
