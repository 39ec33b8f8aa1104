import { screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, owner, serve, showConsole } from '../../test-console';

afterEach(() => forgetSession());

const invite = {
  contact: 'ravi@farm.in',
  role: 'FARM_MANAGER',
  languagePref: 'en',
  farmName: 'Sahyadri',
  invitedBy: 'Asha Patil',
  expiresAt: 1,
  hasAccount: false,
  shared: false,
};
const admission = { token: 't', user: { ...owner, role: 'FARM_MANAGER' }, firstTime: false };

async function page(answers: Record<string, Answer> = {}, link = '/invite#abc') {
  const server = serve({ 'POST /onboarding/invite/open': { body: { invite } }, ...answers });
  const view = showConsole(link);
  await screen.findByRole('heading', { name: 'You are invited' });
  const accepted = () => server.calls.find(({ call }) => call === 'POST /onboarding/invite/accept')?.body;
  return { ...view, server, accepted };
}

describe('/invite#{token}', () => {
  it('says who invites to which farm as what, takes name and password, and enters', async () => {
    const { person, path, accepted } = await page({
      'POST /onboarding/invite/accept': { body: admission },
    });
    expect(screen.getByText('Asha Patil invites you to Sahyadri. Your role: Farm Manager.')).toBeDefined();
    await person.click(screen.getByRole('button', { name: 'Accept invite' }));
    expect(screen.getByText('Full name is required')).toBeDefined();
    await person.type(screen.getByLabelText('Your full name'), 'Ravi Jadhav');
    await person.type(screen.getByLabelText('Password'), 'ravi-ravi');
    await person.click(screen.getByRole('button', { name: 'Accept invite' }));
    await waitFor(() => expect(path()).toBe('/dashboard'));
    expect(accepted()).toEqual({ token: 'abc', name: 'Ravi Jadhav', password: 'ravi-ravi' });
  });

  it('takes the token of an older link, in which it is in the path', async () => {
    const { server } = await page({}, '/invite/abc');
    const opened = server.calls.find(({ call }) => call === 'POST /onboarding/invite/open');
    expect(opened?.body).toEqual({ token: 'abc' });
  });

  it('asks somebody with an account for its password alone', async () => {
    const { person, accepted, path } = await page({
      'POST /onboarding/invite/open': { body: { invite: { ...invite, hasAccount: true } } },
      'POST /onboarding/invite/accept': { body: admission },
    });
    expect(screen.queryByLabelText('Your full name')).toBeNull();
    await person.type(screen.getByLabelText('Password'), 'own');
    await person.click(screen.getByRole('button', { name: 'Accept invite' }));
    await waitFor(() => expect(path()).toBe('/dashboard'));
    expect(accepted()).toEqual({ token: 'abc', password: 'own' });
  });

  it('wants a password where the link was passed on by hand: no code reaches such an account', async () => {
    const { person, accepted } = await page({
      'POST /onboarding/invite/open': { body: { invite: { ...invite, shared: true } } },
      'POST /onboarding/invite/accept': { body: admission },
    });
    await person.type(screen.getByLabelText('Your full name'), 'Ravi Jadhav');
    await person.click(screen.getByRole('button', { name: 'Accept invite' }));
    expect(screen.getByText('Password is required')).toBeDefined();
    await person.type(screen.getByLabelText(/^Password/), 'ravi-ravi');
    await person.click(screen.getByRole('button', { name: 'Accept invite' }));
    await waitFor(() => expect(accepted()).toMatchObject({ name: 'Ravi Jadhav', password: 'ravi-ravi' }));
  });

  it('says that a link is used up', async () => {
    await page({ 'POST /onboarding/invite/open': { status: 404, body: { error: 'Not found', code: 'x' } } });
    expect((await screen.findByRole('alert')).textContent).toContain('no longer valid');
  });

  it.each([
    [{ status: 500, body: {} }, 'Failed to accept invite'],
    [{ status: 403, body: { error: 'Sign in with your account' } }, 'Sign in with your account'],
  ] as [Answer, string][])('shows why it was not accepted', async (reply, words) => {
    const { person } = await page({ 'POST /onboarding/invite/accept': reply });
    await person.type(screen.getByLabelText('Your full name'), 'Ravi');
    await person.click(screen.getByRole('button', { name: 'Accept invite' }));
    expect((await screen.findByRole('alert')).textContent).toBe(words);
  });
});
