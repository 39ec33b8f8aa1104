import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, owner, serve, showConsole } from '../../test-console';

afterEach(() => forgetSession());

const admission = { token: 't', user: owner, firstTime: false };

async function passwordPage(login: Answer) {
  const server = serve({ 'POST /auth/login': login });
  const view = showConsole('/login/password');
  const contact = await screen.findByLabelText('Email or mobile number');
  return { ...view, server, contact, password: screen.getByLabelText<HTMLInputElement>('Password') };
}

const submit = () => screen.getByRole('button', { name: 'Sign in' });

describe('by password', () => {
  it('asks for both', async () => {
    const { person, server } = await passwordPage({ body: admission });
    await person.click(submit());
    expect(screen.getByText('Email or mobile number is required')).toBeDefined();
    expect(screen.getByText('Password is required')).toBeDefined();
    expect(server.calls.some(({ call }) => call === 'POST /auth/login')).toBe(false);
  });

  it('sends contact and password, and opens the dashboard', async () => {
    const { person, server, contact, password, path } = await passwordPage({ body: admission });
    await person.type(contact, ' owner@demo.harit ');
    await person.type(password, 'polyhouse-demo');
    await person.click(submit());
    await waitFor(() => expect(path()).toBe('/dashboard'));
    expect(server.calls.find(({ call }) => call === 'POST /auth/login')?.body).toEqual({
      contact: 'owner@demo.harit',
      password: 'polyhouse-demo',
    });
    expect(JSON.parse(localStorage.getItem('user') ?? '')).toMatchObject({ name: 'Asha Patil' });
  });

  it('opens onboarding the first time', async () => {
    const user = { ...owner, onboardingCompleted: false };
    const { person, contact, password, path } = await passwordPage({
      body: { ...admission, user, firstTime: true },
    });
    await person.type(contact, 'new@demo.harit');
    await person.type(password, 'secret-secret');
    await person.click(submit());
    await waitFor(() => expect(path()).toBe('/onboarding/assets'));
  });

  it.each([
    [
      'the words of the server',
      { status: 401, body: { error: 'Wrong password', code: 'x' } },
      'Wrong password',
    ],
    ['its own words when the server has none', { status: 500, body: {} }, 'Login failed'],
    ['a network error', 'down', 'Network error. Please try again.'],
  ] as [string, Answer, string][])('shows %s', async (_, login, words) => {
    const { person, contact, password, path } = await passwordPage(login);
    await person.type(contact, 'owner@demo.harit');
    await person.type(password, 'wrong');
    await person.click(submit());
    expect((await screen.findByRole('alert')).textContent).toContain(words);
    expect(path()).toBe('/login/password');
  });

  it('shows and hides the password', async () => {
    const { person, password } = await passwordPage({ body: admission });
    expect(password.type).toBe('password');
    await person.click(screen.getByRole('button', { name: 'Show password' }));
    expect(password.type).toBe('text');
    await person.click(screen.getByRole('button', { name: 'Hide password' }));
    expect(password.type).toBe('password');
  });

  it('carries the contact to the code page when the password is forgotten', async () => {
    const { person, contact } = await passwordPage({ body: admission });
    await person.type(contact, 'owner@demo.harit');
    await person.click(screen.getByRole('button', { name: 'Forgot your password?' }));
    await screen.findByRole('button', { name: 'Send code' });
    expect(screen.getByLabelText<HTMLInputElement>('Email or mobile number').value).toBe('owner@demo.harit');
  });
});

describe('in the demo', () => {
  it('fills in the account that is chosen', async () => {
    serve({
      'GET /api/demo': {
        body: { farm: 'demo-farm-1', users: ['owner@demo.harit'], password: 'polyhouse-demo' },
      },
      'POST /auth/login': { body: admission },
    });
    const { person, path } = showConsole('/login');
    await person.click(await screen.findByRole('button', { name: 'Fill in owner@demo.harit' }));
    await waitFor(() => expect(path()).toBe('/login/password'));
    await person.click(await screen.findByRole('button', { name: 'Sign in' }));
    await waitFor(() => expect(path()).toBe('/dashboard'));
  });

  it('is silent elsewhere', async () => {
    const { server } = await passwordPage({ body: admission });
    await waitFor(() => expect(server.calls.some(({ call }) => call === 'GET /api/demo')).toBe(true));
    expect(screen.queryByText('Demo farm')).toBeNull();
  });
});

async function codePage(answers: Record<string, Answer>) {
  const server = serve({ 'POST /auth/send-otp': { body: { maskedContact: 'o***@demo.harit' } }, ...answers });
  vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 5 });
  const view = showConsole('/login');
  fireEvent.change(await screen.findByLabelText('Email or mobile number'), {
    target: { value: '+919800000001' },
  });
  fireEvent.click(screen.getByRole('button', { name: 'Send code' }));
  expect(await screen.findByText(/OTP Sent!/)).toBeDefined();
  expect(view.path()).toBe('/login');
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  await screen.findByRole('heading', { name: 'Enter the code' });
  const boxes = screen.getAllByRole<HTMLInputElement>('textbox');
  return { ...view, server, boxes };
}

const paste = (box: HTMLElement | undefined, text: string) =>
  fireEvent.paste(box as HTMLElement, { clipboardData: { getData: () => text } });

describe('by code', () => {
  it('asks for a contact', async () => {
    serve();
    const { person } = showConsole('/login');
    await person.click(await screen.findByRole('button', { name: 'Send code' }));
    expect(screen.getByText('Email or mobile number is required')).toBeDefined();
  });

  it.each([404, 501])('says what failed when the server does not send codes (%d)', async (status) => {
    serve({ 'POST /auth/send-otp': { status, body: { error: 'no route for POST', code: 'x' } } });
    const { person } = showConsole('/login');
    await person.type(await screen.findByLabelText('Email or mobile number'), 'a@b.in');
    await person.click(screen.getByRole('button', { name: 'Send code' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Failed to send OTP');
  });

  it('claims nothing was sent where no gateway is set', async () => {
    serve({
      'POST /auth/send-otp': { body: { maskedContact: 'o***@demo.harit' } },
      'GET /auth/delivery': { body: { delivery: 'log' } },
    });
    vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 5 });
    const { container } = showConsole('/login');
    await screen.findByText(/^Codes and links appear in the server's log/);
    fireEvent.change(screen.getByLabelText('Email or mobile number'), { target: { value: 'o@demo.harit' } });
    fireEvent.click(screen.getByRole('button', { name: 'Send code' }));
    expect(container.textContent).not.toMatch(/sent/i);
    await act(() => vi.advanceTimersByTimeAsync(2_000));
    await screen.findByRole('heading', { name: 'Enter the code' });
    screen.getByText(/^Codes and links appear in the server's log/);
    expect(container.textContent).not.toMatch(/sent/i);
  });

  it('verifies six digits and enters', async () => {
    const { boxes, server, path } = await codePage({ 'POST /auth/verify-otp': { body: admission } });
    expect(screen.getByText('We sent a 6-digit code to o***@demo.harit.')).toBeDefined();
    expect(boxes).toHaveLength(6);
    await waitFor(() => expect(document.activeElement === boxes[0]).toBe(true));
    paste(boxes[0], '123456');
    fireEvent.click(screen.getByRole('button', { name: 'Verify' }));
    await waitFor(() => expect(path()).toBe('/dashboard'));
    expect(server.calls.find(({ call }) => call === 'POST /auth/verify-otp')?.body).toEqual({
      contact: '+919800000001',
      otp: '123456',
    });
  });

  it('wants all six', async () => {
    const { boxes } = await codePage({});
    paste(boxes[0], '12345');
    fireEvent.click(screen.getByRole('button', { name: 'Verify' }));
    expect(screen.getByRole('alert').textContent).toBe('Please enter the complete 6-digit OTP');
  });

  it('clears the boxes after a wrong code, and starts at the first', async () => {
    const { boxes } = await codePage({ 'POST /auth/verify-otp': { status: 401, body: {} } });
    paste(boxes[0], '123456');
    fireEvent.click(screen.getByRole('button', { name: 'Verify' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Invalid OTP');
    expect(boxes.map((box) => box.value).join('')).toBe('');
    expect(document.activeElement === boxes[0]).toBe(true);
  });

  it('sends again after 60 seconds, and counts again', async () => {
    const { server } = await codePage({});
    expect(screen.queryByRole('button', { name: 'Send the code again' })).toBeNull();
    for (let second = 0; second < 61; second += 1) await act(() => vi.advanceTimersByTimeAsync(1_000));
    server.table['POST /auth/send-otp'] = { status: 500, body: {} };
    fireEvent.click(screen.getByRole('button', { name: 'Send the code again' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Failed to resend OTP');
    server.table['POST /auth/send-otp'] = { body: { maskedContact: 'o***' } };
    fireEvent.click(screen.getByRole('button', { name: 'Send the code again' }));
    expect(await screen.findByText(/You can ask for a new code in (60|59) seconds/)).toBeDefined();
  });

  it('is no page without a contact', async () => {
    serve();
    const { path } = showConsole('/otp-verify');
    await screen.findByRole('button', { name: 'Send code' });
    expect(path()).toBe('/login');
  });
});
