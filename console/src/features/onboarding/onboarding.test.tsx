import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, owner, serve, showConsole } from '../../test-console';

afterEach(() => forgetSession());

const newcomer = { ...owner, onboardingCompleted: false };
const me = { 'GET /auth/me': { body: { user: newcomer } } };
const registered = {
  id: 'AABBCCDDEE01',
  type: 'POLYHOUSE',
  name: 'Polyhouse 1',
  macid: 'AABBCCDDEE01',
  farmId: 'f',
  polyhouseId: 'p',
  reservoirId: null,
  createdAt: 0,
  mqtt: {
    address: 'farm:1883',
    username: 'AABBCCDDEE01',
    password: 's3cret',
    topic: 'harit/1/f/AABBCCDDEE01/',
  },
};

async function assetsPage(answers: Record<string, Answer> = {}) {
  const server = serve({
    ...me,
    'GET /onboarding/assets': { body: { assets: [] } },
    'GET /onboarding/invites': { body: { invites: [] } },
    ...answers,
  });
  const view = showConsole('/onboarding/assets', newcomer);
  await screen.findByRole('heading', { level: 1, name: 'Assets' });
  const save = () => fireEvent.click(screen.getByRole('button', { name: 'Save and continue' }));
  const fill = (at: number, type: string, mac: string) => {
    fireEvent.change(screen.getAllByLabelText('Asset type')[at] as HTMLElement, { target: { value: type } });
    fireEvent.change(screen.getAllByLabelText('Controller MAC ID')[at] as HTMLElement, {
      target: { value: mac },
    });
  };
  const posted = () => server.calls.find(({ call }) => call === 'POST /onboarding/assets')?.body;
  return { ...view, server, save, fill, posted };
}

describe('/onboarding/assets', () => {
  it('says what is wrong, and sends nothing', async () => {
    const { save, fill, posted } = await assetsPage();
    save();
    expect(screen.getByText('Asset type is required')).toBeDefined();
    expect(screen.getByText('Controller MAC ID is required')).toBeDefined();
    fill(0, 'POLYHOUSE', 'AA:BB');
    expect(screen.getByText('Invalid MAC ID format (e.g., AA:BB:CC:DD:EE:FF or AABBCCDDEEFF)')).toBeDefined();
    expect(posted()).toBeUndefined();
  });

  it('adds and removes, and keeps the last one', async () => {
    const { fill } = await assetsPage();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Remove asset 1' }).disabled).toBe(true);
    fill(0, 'POLYHOUSE', 'AABBCCDDEE01');
    fireEvent.click(screen.getByRole('button', { name: 'Add another asset' }));
    fill(1, 'FERTIGATION', 'AABBCCDDEE02');
    fireEvent.click(screen.getByRole('button', { name: 'Remove asset 1' }));
    expect(screen.getAllByLabelText<HTMLInputElement>('Controller MAC ID').map(({ value }) => value)).toEqual(
      ['AABBCCDDEE02'],
    );
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Remove asset 1' }).disabled).toBe(true);
  });

  it('finds a MAC that is there twice, in whichever form', async () => {
    const { fill, save, posted } = await assetsPage();
    fill(0, 'POLYHOUSE', 'AA:BB:CC:DD:EE:01');
    fireEvent.click(screen.getByRole('button', { name: 'Add another asset' }));
    fill(1, 'POLYHOUSE', 'aabbccddee01');
    save();
    expect(screen.getByText('This MAC ID is already in the list')).toBeDefined();
    expect(posted()).toBeUndefined();
  });

  it('shows the success for two seconds, and the passwords until they are noted', async () => {
    const { fill, save, posted, path } = await assetsPage({
      'POST /onboarding/assets': { status: 201, body: { assets: [registered] } },
    });
    fill(0, 'POLYHOUSE', 'aa-bb-cc-dd-ee-01');
    vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 5 });
    save();
    await screen.findByRole('heading', { name: 'Assets Added Successfully!' });
    expect(posted()).toEqual({ assets: [{ type: 'POLYHOUSE', macid: 'aa-bb-cc-dd-ee-01' }] });
    await act(() => vi.advanceTimersByTimeAsync(1_500));
    expect(path()).toBe('/onboarding/assets');
    await act(() => vi.advanceTimersByTimeAsync(500));
    await screen.findByRole('heading', { level: 1, name: 'Users' });
    expect(path()).toBe('/onboarding/users');
    const password = () => document.querySelector('[data-password]')?.textContent;
    expect(password()).toBe('s3cret');
    fireEvent.click(screen.getByRole('button', { name: 'I have noted them' }));
    await waitFor(() => expect(password()).toBeUndefined());
    expect(JSON.stringify(localStorage)).not.toContain('s3cret');
  });

  it('shows what the server says about a field', async () => {
    const { fill, save } = await assetsPage({
      'POST /onboarding/assets': {
        status: 422,
        body: {
          error: 'Some entries are not valid',
          problems: [{ path: 'assets[0].macid', code: 'x', message: 'No such MAC' }],
        },
      },
    });
    fill(0, 'POLYHOUSE', 'AABBCCDDEE01');
    save();
    expect((await screen.findByRole('alert')).textContent).toBe('Some entries are not valid');
    expect(screen.getByText('No such MAC')).toBeDefined();
  });

  it('lists what is registered, with a way on', async () => {
    const { mqtt: _, ...asset } = registered;
    const { person, path } = await assetsPage({ 'GET /onboarding/assets': { body: { assets: [asset] } } });
    expect(await screen.findByText('Polyhouse 1')).toBeDefined();
    await person.click(screen.getByRole('link', { name: 'Continue without adding' }));
    await waitFor(() => expect(path()).toBe('/onboarding/users'));
  });
});

const invite = {
  id: 'i1',
  farmId: 'f',
  contact: 'ravi@farm.in',
  email: 'ravi@farm.in',
  mobile: null,
  role: 'FARM_MANAGER',
  languagePref: 'hi',
  invitedBy: 'Asha',
  createdAt: 0,
  expiresAt: 1,
  state: 'open',
  acceptedAt: null,
  acceptedBy: null,
};
const made = { invite, link: '/invite?lang=hi#tok', message: 'आइए: /invite?lang=hi#tok' };

async function usersPage(answers: Record<string, Answer> = {}) {
  const server = serve({
    ...me,
    'GET /onboarding/invites': { body: { invites: [] } },
    'POST /auth/complete-onboarding': { body: { user: owner } },
    ...answers,
  });
  const view = showConsole('/onboarding/users', newcomer);
  await screen.findByRole('heading', { level: 1, name: 'Users' });
  const completed = () => server.calls.some(({ call }) => call === 'POST /auth/complete-onboarding');
  return { ...view, server, completed };
}

describe('/onboarding/users', () => {
  it('wants a contact', async () => {
    const { person } = await usersPage();
    await person.click(screen.getByRole('button', { name: 'Send invite' }));
    expect(screen.getByText('Email or mobile number is required')).toBeDefined();
  });

  it('offers farm managers first and all three languages', async () => {
    await usersPage();
    expect(screen.getByLabelText<HTMLSelectElement>('Role').value).toBe('FARM_MANAGER');
    const language = screen.getByLabelText<HTMLSelectElement>('Language');
    expect([...language.options].map(({ value }) => value)).toEqual(['en', 'hi', 'mr']);
  });

  it.each([
    ['ravi@farm.in', { email: 'ravi@farm.in' }],
    ['+919876543210', { mobile: '+919876543210' }],
  ])('invites %s, says so for three seconds and lists it', async (contact, named) => {
    const { server } = await usersPage({
      'POST /onboarding/invite-user': { status: 201, body: { ...made, invite: { ...invite, contact } } },
    });
    await screen.findByText('No one yet.');
    server.table['GET /onboarding/invites'] = { body: { invites: [{ ...invite, contact }] } };
    vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 5 });
    fireEvent.change(screen.getByLabelText('Email or mobile number'), { target: { value: contact } });
    fireEvent.change(screen.getByLabelText('Language'), { target: { value: 'hi' } });
    fireEvent.click(screen.getByRole('button', { name: 'Send invite' }));
    expect(await screen.findByText(`Invite sent successfully to ${contact}`)).toBeDefined();
    expect(server.calls.find(({ call }) => call === 'POST /onboarding/invite-user')?.body).toEqual({
      role: 'FARM_MANAGER',
      languagePref: 'hi',
      farmId: 'demo-farm-1',
      ...named,
    });
    const row = (await screen.findByText(contact)).closest('li') as HTMLElement;
    expect(within(row).getByText('Farm Manager')).toBeDefined();
    expect(within(row).getByText('हिन्दी')).toBeDefined();
    await act(() => vi.advanceTimersByTimeAsync(3_000));
    expect(screen.queryByText(`Invite sent successfully to ${contact}`)).toBeNull();
  });

  it('shows why an invite failed', async () => {
    const { person } = await usersPage({ 'POST /onboarding/invite-user': { status: 500, body: {} } });
    await person.type(screen.getByLabelText('Email or mobile number'), 'ravi@farm.in');
    await person.click(screen.getByRole('button', { name: 'Send invite' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Failed to send invite');
  });

  it('withdraws an invite', async () => {
    const { person, server } = await usersPage({
      'GET /onboarding/invites': { body: { invites: [invite] } },
      'DELETE /onboarding/invites/i1': { status: 204 },
    });
    const button = await screen.findByRole('button', { name: 'Withdraw the invite to ravi@farm.in' });
    server.table['GET /onboarding/invites'] = { body: { invites: [] } };
    await person.click(button);
    expect(await screen.findByText('No one yet.')).toBeDefined();
  });

  it('asks before skipping without an invite; going back changes nothing', async () => {
    const { person, completed } = await usersPage();
    await screen.findByText('No one yet.');
    await person.click(screen.getByRole('button', { name: 'Skip' }));
    await screen.findByRole('dialog', { name: 'Skip User Invitations?' });
    await person.click(screen.getByRole('button', { name: 'Go Back' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(completed()).toBe(false);
    await person.click(screen.getByRole('button', { name: 'Skip' }));
    await person.click(await screen.findByRole('button', { name: 'Yes, Continue' }));
    await screen.findByRole('heading', { name: 'Welcome to Harit!' });
    expect(completed()).toBe(true);
  });

  it.each(['never', 'down'] as const)(
    'asks before skipping while the list of invites is %s',
    async (answer) => {
      const { person, completed } = await usersPage({ 'GET /onboarding/invites': answer });
      await person.click(screen.getByRole('button', { name: 'Skip' }));
      await screen.findByRole('dialog', { name: 'Skip User Invitations?' });
      expect(completed()).toBe(false);
    },
  );

  it('skips at once where somebody was invited', async () => {
    const { person } = await usersPage({ 'GET /onboarding/invites': { body: { invites: [invite] } } });
    await screen.findByText('ravi@farm.in');
    await person.click(screen.getByRole('button', { name: 'Skip' }));
    await screen.findByRole('heading', { name: 'Welcome to Harit!' });
  });

  it('welcomes for two seconds, then opens the dashboard', async () => {
    const { path } = await usersPage();
    vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 5 });
    fireEvent.click(screen.getByRole('button', { name: 'Finish' }));
    await screen.findByRole('heading', { name: 'Welcome to Harit!' });
    await act(() => vi.advanceTimersByTimeAsync(1_500));
    expect(path()).toBe('/onboarding/users');
    await act(() => vi.advanceTimersByTimeAsync(500));
    await waitFor(() => expect(path()).toBe('/dashboard'));
    expect(JSON.parse(localStorage.getItem('user') ?? '')).toMatchObject({ onboardingCompleted: true });
  });

  it('says that it could not be completed', async () => {
    const { person } = await usersPage({ 'POST /auth/complete-onboarding': { status: 500, body: {} } });
    await person.click(screen.getByRole('button', { name: 'Finish' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Failed to complete onboarding');
  });
});
