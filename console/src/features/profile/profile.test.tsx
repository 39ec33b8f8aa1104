import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { forgetSession } from '../../api/session';
import { changeLanguage } from '../../i18n/i18n';
import { type Answer, owner, serve, showConsole } from '../../test-console';
import { deviceName } from './device';

afterEach(async () => {
  forgetSession();
  localStorage.removeItem('digits');
  await changeLanguage('en');
});

const session = (id: string, current: boolean) => ({
  id,
  current,
  method: 'PASSWORD',
  address: '127.0.0.1',
  userAgent: 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
  createdAt: 0,
  lastUsedAt: Date.parse('2026-11-21T06:30:00Z'),
  expiresAt: 0,
});

async function page(answers: Record<string, Answer> = {}, user = owner) {
  const server = serve({
    'GET /auth/sessions': { body: { sessions: [session('s1', true), session('s2', false)] } },
    'GET /auth/me': { body: { user } },
    'GET /auth/me/told': { body: { ways: null, quiet: null } },
    'GET /auth/me/push': { body: { publicKey: null, browsers: [] } },
    ...answers,
  });
  const view = showConsole('/profile', user);
  await screen.findByText('This device');
  const sent = (call: string) => server.calls.find((made) => made.call === call);
  return { ...view, server, sent };
}

describe('/profile', () => {
  it('keeps by which ways one is told, and the quiet hours', async () => {
    const saved = { ways: ['SMS'], quiet: { from: '22:00', to: '06:00' } };
    const { person, sent } = await page({ 'PUT /auth/me/told': { body: saved } });
    const part = within(screen.getByRole('region', { name: 'How you are told of alerts' }));
    await person.click(await part.findByRole('checkbox', { name: 'SMS' }));
    await person.click(part.getByRole('checkbox', { name: 'Quiet hours' }));
    expect(part.getByLabelText<HTMLInputElement>('From').value).toBe('22:00');
    await person.click(part.getByRole('button', { name: 'Save' }));
    await part.findByText('Saved.');
    expect(sent('PUT /auth/me/told')?.body).toEqual(saved);
  });

  it('saves name, number and language, and speaks it from then on', async () => {
    const { person, sent } = await page({
      'PATCH /auth/me': { body: { user: { ...owner, name: 'Asha P', languagePref: 'hi' } } },
    });
    const part = within(screen.getByRole('region', { name: 'About you' }));
    await person.clear(part.getByLabelText('Name'));
    await person.click(part.getByRole('button', { name: 'Save' }));
    expect(part.getByText('Full name is required')).toBeDefined();
    await person.type(part.getByLabelText('Name'), 'Asha P');
    await person.selectOptions(part.getByLabelText('Language'), 'hi');
    await person.click(part.getByRole('button', { name: 'Save' }));
    await screen.findByRole('heading', { level: 1, name: 'प्रोफ़ाइल सेटिंग' });
    expect(sent('PATCH /auth/me')?.body).toEqual({ name: 'Asha P', phone: '', languagePref: 'hi' });
    expect(JSON.parse(localStorage.getItem('user') ?? '')).toMatchObject({ name: 'Asha P' });
  });

  it('verifies a contact by the code that was sent to it, and says where codes are without a gateway', async () => {
    const { person, sent } = await page(
      {
        'GET /auth/delivery': { body: { delivery: 'log' } },
        'POST /auth/contacts/code': { body: { maskedContact: 'o***@demo.harit' } },
        'POST /auth/contacts/verify': { body: { user: owner } },
      },
      { ...owner, emailVerified: false },
    );
    await screen.findByText(/^owner@demo.harit is not verified yet/);
    await person.click(screen.getByRole('button', { name: 'Send code' }));
    await screen.findByText(/^Codes and links appear in the server's log: no gateway is set/);
    expect(sent('POST /auth/contacts/code')?.body).toEqual({ contact: 'owner@demo.harit' });
    await person.type(screen.getByLabelText('6-digit code'), '123456');
    await person.click(screen.getByRole('button', { name: 'Verify' }));
    await waitFor(() => expect(screen.queryByText(/is not verified yet/)).toBeNull());
    expect(sent('POST /auth/contacts/verify')?.body).toEqual({ contact: 'owner@demo.harit', otp: '123456' });
  });

  it('asks who it is before another number is taken', async () => {
    const { person, server, sent } = await page({
      'PATCH /auth/me': { status: 403, body: { error: 'Confirm first', code: 'confirm_needed' } },
      'POST /auth/confirm': { status: 204 },
    });
    const part = within(screen.getByRole('region', { name: 'About you' }));
    await person.type(part.getByLabelText(/^(Phone|Mobile)/), '9876543210');
    await person.click(part.getByRole('button', { name: 'Save' }));
    await part.findByText('Confirm that it is you: your password, or a code.');
    await person.type(part.getByLabelText('Current password'), 'polyhouse-demo');
    await person.click(part.getByRole('button', { name: 'Confirm' }));
    await waitFor(() => expect(server.calls.filter(({ call }) => call === 'PATCH /auth/me')).toHaveLength(2));
    expect(sent('POST /auth/confirm')?.body).toEqual({ password: 'polyhouse-demo' });
  });

  it('takes the code of whoever does not know their password, also after a wrong one', async () => {
    const { person, sent } = await page({
      'PATCH /auth/me': { status: 403, body: { error: 'Confirm first', code: 'confirm_needed' } },
      'POST /auth/confirm': { status: 204 },
      'POST /auth/confirm/code': { body: { maskedContact: 'o***@demo.harit' } },
    });
    const part = within(screen.getByRole('region', { name: 'About you' }));
    await person.type(part.getByLabelText(/^(Phone|Mobile)/), '9876543210');
    await person.click(part.getByRole('button', { name: 'Save' }));
    await person.type(await part.findByLabelText('Current password'), 'wrong');
    await person.click(part.getByRole('button', { name: 'Send code' }));
    await person.type(await part.findByLabelText('6-digit code'), '123456');
    await person.click(part.getByRole('button', { name: 'Confirm' }));
    await waitFor(() => expect(sent('POST /auth/confirm')?.body).toEqual({ otp: '123456' }));
  });

  it('writes the digits that are chosen, and offers none where the language has one kind', async () => {
    const { person } = await page();
    expect(screen.queryByRole('radiogroup')).toBeNull();
    await changeLanguage('mr');
    const part = within(await screen.findByRole('radiogroup', { name: 'अंक' }));
    expect(part.getByRole<HTMLInputElement>('radio', { name: /देवनागरी/ }).checked).toBe(true);
    expect(screen.getAllByText(/२१ नोव्हें/)).toHaveLength(2);
    await person.click(part.getByRole('radio', { name: /इंग्रजी/ }));
    expect(screen.getAllByText(/21 नोव्हें/)).toHaveLength(2);
    expect(localStorage.getItem('digits')).toBe('latin');
  });

  it('changes the password', async () => {
    const { person, sent } = await page({ 'POST /auth/change-password': { status: 204 } });
    await person.type(screen.getByLabelText('Current password'), 'polyhouse-demo');
    await person.type(screen.getByLabelText('New password'), 'short');
    await person.click(screen.getByRole('button', { name: 'Change password' }));
    expect(screen.getByText('Password must be at least 8 characters')).toBeDefined();
    await person.type(screen.getByLabelText('New password'), '-but-long');
    await person.click(screen.getByRole('button', { name: 'Change password' }));
    await screen.findByText('The password has been changed.');
    expect(sent('POST /auth/change-password')?.body).toEqual({
      currentPassword: 'polyhouse-demo',
      password: 'short-but-long',
    });
  });

  it('ends another sign-in', async () => {
    const { person, server } = await page({ 'DELETE /auth/sessions/s2': { status: 204 } });
    const button = screen.getByRole('button', { name: 'Sign out Chrome, Android' });
    server.table['GET /auth/sessions'] = { body: { sessions: [session('s1', true)] } };
    await person.click(button);
    await waitFor(() => expect(screen.queryByRole('button', { name: /Sign out Chrome/ })).toBeNull());
  });

  it('signs out everywhere', async () => {
    const { person, path } = await page({ 'DELETE /auth/sessions': { status: 204 } });
    await person.click(screen.getByRole('button', { name: 'Sign out everywhere' }));
    await waitFor(() => expect(path()).toBe('/login'));
    expect(localStorage.getItem('token')).toBeNull();
  });

  it('stays signed in where the server did not hear it', async () => {
    const { person, path } = await page({ 'DELETE /auth/sessions': { status: 500, body: {} } });
    await person.click(screen.getByRole('button', { name: 'Sign out everywhere' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Failed to end the sign-in');
    expect(path()).toBe('/profile');
  });
});

it.each([
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge, Windows'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1', 'Safari, iOS'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Linux'],
  ['curl/8.0', undefined],
  [null, undefined],
])('%s is %s', (userAgent, name) => expect(deviceName(userAgent)).toBe(name));
