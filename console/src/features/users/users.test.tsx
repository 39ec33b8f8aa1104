import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, answerTo, farmAs, owner, serve, showConsole } from '../../test-console';

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const asha = {
  id: 'u1',
  name: 'Asha Patil',
  email: 'owner@demo.harit',
  phone: null,
  role: 'OWNER',
  languagePref: 'en',
  isActive: true,
  createdAt: Date.parse('2026-11-21T06:30:00Z'),
  canManage: true,
  canRemove: false,
  canEdit: true,
};
const ravi = {
  ...asha,
  id: 'u2',
  name: 'Ravi Jadhav',
  canRemove: true,
  email: 'ravi@farm.in',
  phone: '+919876543210',
  role: 'VIEWER',
  languagePref: 'mr',
};
const path = '/api/farms/demo-farm-1/users';

function invited(state: string, contact: string) {
  return {
    id: contact,
    farmId: 'demo-farm-1',
    contact,
    email: contact.includes('@') ? contact : null,
    mobile: contact.includes('@') ? null : contact,
    role: 'VIEWER',
    languagePref: 'mr',
    invitedBy: 'Asha Patil',
    createdAt: asha.createdAt,
    expiresAt: Date.parse('2026-11-28T06:30:00Z'),
    state,
    acceptedAt: null,
    acceptedBy: null,
  };
}

async function page(answers: Record<string, Answer> = {}, at = '/users') {
  const server = serve({
    [`GET ${path}`]: { body: { users: [asha, ravi] } },
    'GET /onboarding/invites': { body: { invites: [] } },
    ...answers,
  });
  const view = showConsole(at, owner);
  await screen.findByRole('table');
  const row = (name: string) =>
    within(screen.getByRole('table')).getByText(name).closest('tr') as HTMLElement;
  const sent = (call: string) => server.calls.find((made) => made.call === call);
  return { ...view, server, row, sent };
}

describe('/users', () => {
  it('shows who belongs to the farm', async () => {
    const { row } = await page();
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      'User',
      'Role',
      'Contact',
      'Language',
      'Status',
      'Created',
      'Actions',
    ]);
    const cells = (name: string) =>
      within(row(name))
        .getAllByRole('cell')
        .slice(0, 6)
        .map(({ textContent }) => textContent);
    expect(cells('Asha Patil')).toEqual([
      'Asha Patilowner@demo.harit',
      'Owner',
      'N/A',
      'English',
      'Active',
      '21 Nov 2026',
    ]);
    expect(cells('Ravi Jadhav').slice(1, 4)).toEqual(['Viewer', '+919876543210', 'मराठी']);
  });

  it('never deletes an owner', async () => {
    await page();
    const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
    expect(button('Delete Asha Patil').disabled).toBe(true);
    expect(button('Delete Ravi Jadhav').disabled).toBe(false);
  });

  it('deletes after a confirmation, and only then', async () => {
    const { person, server, sent } = await page({ [`DELETE ${path}/u2`]: { status: 204 } });
    const question = 'Are you sure you want to delete this user?';
    await person.click(screen.getByRole('button', { name: 'Delete Ravi Jadhav' }));
    await answerTo(person, question, 'Cancel');
    expect(sent(`DELETE ${path}/u2`)).toBeUndefined();
    server.table[`GET ${path}`] = { body: { users: [asha] } };
    await person.click(screen.getByRole('button', { name: 'Delete Ravi Jadhav' }));
    await answerTo(person, question, 'Delete');
    await waitFor(() => expect(screen.queryByText('Ravi Jadhav')).toBeNull());
    expect(sent(`DELETE ${path}/u2`)).toBeDefined();
  });

  it('switches somebody off by the pill', async () => {
    const { person, server } = await page({ [`POST ${path}/u2/deactivate`]: { body: ravi } });
    server.table[`GET ${path}`] = { body: { users: [asha, { ...ravi, isActive: false }] } };
    await person.click(screen.getByRole('button', { name: 'Ravi Jadhav is active: make inactive' }));
    await screen.findByRole('button', { name: 'Ravi Jadhav is inactive: make active' });
    expect(server.calls.some(({ call }) => call === `POST ${path}/u2/deactivate`)).toBe(true);
  });

  it('adds a farm manager unless told otherwise', async () => {
    const { person, sent } = await page({ [`POST ${path}`]: { status: 201, body: ravi } });
    await person.click(screen.getByRole('button', { name: 'Add user' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Add user' }));
    await person.click(dialog.getByRole('button', { name: 'Save' }));
    expect(dialog.getByText('Full name is required')).toBeDefined();
    expect(dialog.getByText('Email is required')).toBeDefined();
    await person.type(dialog.getByLabelText(/Name/), 'Meera');
    await person.type(dialog.getByLabelText(/Email/), 'meera@farm.in');
    await person.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`POST ${path}`)?.body).toEqual({
      name: 'Meera',
      email: 'meera@farm.in',
      role: 'FARM_MANAGER',
      languagePref: 'en',
    });
  });

  it('adds somebody who has a number and no address', async () => {
    const { person, sent } = await page({ [`POST ${path}`]: { status: 201, body: ravi } }, '/users?new');
    const dialog = within(await screen.findByRole('dialog', { name: 'Add user' }));
    await person.type(dialog.getByLabelText(/Name/), 'Sunita');
    await person.type(dialog.getByLabelText(/Phone/), '9812345678');
    await person.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent(`POST ${path}`)?.body).toEqual({
        name: 'Sunita',
        phone: '9812345678',
        role: 'FARM_MANAGER',
        languagePref: 'en',
      }),
    );
  });

  it('edits in a form that is titled so', async () => {
    const { person, sent } = await page({ [`PATCH ${path}/u2`]: { body: ravi } });
    await person.click(screen.getByRole('button', { name: 'Edit Ravi Jadhav' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit User' }));
    await person.selectOptions(dialog.getByLabelText('Role'), 'ADMIN');
    await person.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`PATCH ${path}/u2`)?.body).toMatchObject({ name: 'Ravi Jadhav', role: 'ADMIN' });
  });

  it('changes the role alone of somebody who belongs elsewhere too', async () => {
    const guest = { ...ravi, canEdit: false };
    const { person, sent } = await page({
      [`GET ${path}`]: { body: { users: [asha, guest] } },
      [`PATCH ${path}/u2`]: { body: guest },
    });
    await person.click(screen.getByRole('button', { name: 'Edit Ravi Jadhav' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit User' }));
    expect(dialog.getByLabelText<HTMLInputElement>(/Name/).disabled).toBe(true);
    await person.selectOptions(dialog.getByLabelText('Role'), 'FARM_MANAGER');
    await person.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent(`PATCH ${path}/u2`)?.body).toEqual({ role: 'FARM_MANAGER' }));
  });

  it('gives a worker houses and devices, and nobody else', async () => {
    const call = `PATCH ${path}/u2`;
    const worker = { ...ravi, role: 'WORKER', polyhouses: ['p1'], devices: [] };
    const scope = { type: 'polyhouse', polyhouseId: 'p1', name: 'North house', path: 'North house' };
    const { person, row, sent } = await page({
      [`GET ${path}`]: { body: { users: [asha, worker] } },
      'GET /api/farms/demo-farm-1/polyhouses': {
        body: ['p1', 'p2'].map((id) => ({
          id,
          name: id === 'p1' ? 'North house' : 'South house',
          zones: [],
        })),
      },
      'GET /api/farms/demo-farm-1/devices': {
        body: [{ id: 'fan', name: 'Fan 1', scope, state: { mode: 'auto' } }],
      },
      [call]: { body: worker },
    });
    await person.click(within(row('Ravi Jadhav')).getByRole('button', { name: 'Edit Ravi Jadhav' }));
    const houses = within(await screen.findByRole('group', { name: 'Polyhouses that they see' }));
    const box = async (name: RegExp) => (await houses.findByRole('checkbox', { name })) as HTMLInputElement;
    expect([(await box(/North/)).checked, (await box(/South/)).checked]).toEqual([true, false]);
    await person.click(await box(/South/));
    await person.click(await box(/North/));
    const devices = within(screen.getByRole('group', { name: 'Devices that they may switch' }));
    await person.click(await devices.findByRole('checkbox', { name: /^Fan 1/ }));
    await person.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent(call)?.body).toMatchObject({ polyhouses: ['p2'], devices: ['fan'] }));
  });

  it('asks for nothing to give to who is no worker', async () => {
    const { person, row, server } = await page();
    const asked = () => server.calls.filter(({ call }) => call.endsWith('/polyhouses')).length;
    const before = asked();
    await person.click(within(row('Ravi Jadhav')).getByRole('button', { name: 'Edit Ravi Jadhav' }));
    await person.selectOptions(await screen.findByLabelText('Role'), 'FARM_MANAGER');
    expect(screen.queryByRole('group', { name: 'Devices that they may switch' })).toBeNull();
    expect(asked()).toBe(before);
  });

  it('opens the form for the quick action of the dashboard', async () => {
    await page({}, '/users?new');
    await screen.findByRole('dialog', { name: 'Add user' });
  });

  it('invites at any time, and gives the link to pass on', async () => {
    const made = {
      invite: invited('open', '+919812345678'),
      link: '/invite?lang=mr#tok',
      message: 'या: /invite?lang=mr#tok',
    };
    const share = vi.fn(() => Promise.resolve());
    Object.assign(navigator, { share });
    const { person, server, sent } = await page({
      'POST /onboarding/invite-user': { status: 201, body: made },
      'GET /auth/delivery': { body: { delivery: 'nobody' } },
    });
    await screen.findByText('No one yet.');
    await person.click(screen.getByRole('button', { name: 'Invite' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite' }));
    await person.type(await dialog.findByLabelText('Email or mobile number'), '+919812345678');
    await person.selectOptions(dialog.getByLabelText('Role'), 'VIEWER');
    await person.selectOptions(dialog.getByLabelText('Language'), 'mr');
    server.table['GET /onboarding/invites'] = { body: { invites: [made.invite] } };
    await person.click(dialog.getByRole('button', { name: 'Send invite' }));
    await dialog.findByRole('heading', { name: 'Send the link to +919812345678' });
    expect(sent('POST /onboarding/invite-user')?.body).toEqual({
      mobile: '+919812345678',
      role: 'VIEWER',
      languagePref: 'mr',
      farmId: 'demo-farm-1',
    });
    // Nothing was sent by the server, so nothing says so.
    expect(dialog.queryByText(/sent successfully/)).toBeNull();
    expect(dialog.getByText(/no gateway for email or SMS is set/)).toBeDefined();
    // Absolute, though the server did not know by which address people reach it.
    const text = `या: ${window.location.origin}/invite?lang=mr#tok`;
    expect(dialog.getByLabelText<HTMLTextAreaElement>('Message').value).toBe(text);
    await person.click(dialog.getByRole('button', { name: 'Share' }));
    expect(share).toHaveBeenCalledWith({ text });
    expect(dialog.getByRole('link', { name: 'Send by WhatsApp' }).getAttribute('href')).toBe(
      `https://wa.me/919812345678?text=${encodeURIComponent(text)}`,
    );
    await person.click(dialog.getByRole('button', { name: 'QR code' }));
    expect(dialog.getByRole('img', { name: 'QR code of the link for +919812345678' })).toBeDefined();
    await person.click(dialog.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await screen.findByText('Open until 28 Nov 2026');
    // Shown once: the window is empty when it opens again.
    await person.click(screen.getByRole('button', { name: 'Invite' }));
    await screen.findByRole('dialog', { name: 'Invite' });
    expect(screen.queryByRole('heading', { name: /Send the link/ })).toBeNull();
  });

  it('says what became of each invite, and makes one again', async () => {
    const joined = {
      ...invited('accepted', 'a@farm.in'),
      acceptedAt: Date.parse('2026-11-22T06:30:00Z'),
      acceptedBy: 'Meera',
    };
    const { person, server, sent } = await page({
      'GET /onboarding/invites': {
        body: {
          invites: [
            joined,
            invited('expired', 'b@farm.in'),
            invited('withdrawn', 'c@farm.in'),
            { ...invited('open', 'd@farm.in'), role: 'OWNER' },
          ],
        },
      },
      'POST /onboarding/invite-user': {
        status: 201,
        body: { invite: invited('open', 'b@farm.in'), link: 'https://x.in/i#t', message: 'https://x.in/i#t' },
      },
    });
    await screen.findByText('Joined: Meera, 22 Nov 2026');
    expect(screen.getByText('Expired on 28 Nov 2026')).toBeDefined();
    expect(screen.getByText('Withdrawn')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'New link for a@farm.in' })).toBeNull();
    server.table['GET /onboarding/invites'] = { body: { invites: [invited('open', 'b@farm.in')] } };
    await person.click(screen.getByRole('button', { name: 'New link for b@farm.in' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite' }));
    await dialog.findByRole('heading', { name: 'Send the link to b@farm.in' });
    expect(dialog.getByLabelText<HTMLTextAreaElement>('Message').value).toBe('https://x.in/i#t');
    expect(sent('POST /onboarding/invite-user')?.body).toMatchObject({ email: 'b@farm.in', role: 'VIEWER' });
  });

  it('says what the server refused', async () => {
    const { person } = await page({
      [`POST ${path}/u2/deactivate`]: { status: 409, body: { error: 'The last owner stays', code: 'x' } },
    });
    await person.click(screen.getByRole('button', { name: 'Ravi Jadhav is active: make inactive' }));
    expect((await screen.findByRole('alert')).textContent).toBe('The last owner stays');
  });

  it('lets a farm manager look', async () => {
    const people = [asha, ravi].map((user) => ({
      ...user,
      canManage: false,
      canRemove: false,
      canEdit: false,
    }));
    await page({
      'GET /api/farms': { body: [farmAs('FARM_MANAGER')] },
      [`GET ${path}`]: { body: { users: people } },
    });
    expect(screen.queryByRole('button', { name: 'Add user' })).toBeNull();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Edit Ravi Jadhav' }).disabled).toBe(true);
    expect(screen.queryByRole('button', { name: /make inactive/ })).toBeNull();
  });

  it('tells a viewer who sees the people, and asks for nothing that would be refused', async () => {
    const server = serve({ 'GET /api/farms': { body: [farmAs('VIEWER')] } });
    showConsole('/users?new', owner);
    await screen.findByText("Only owners, admins and farm managers can see the farm's users.");
    expect(screen.queryByRole('button', { name: 'Add user' })).toBeNull();
    expect(server.calls.map(({ call }) => call)).not.toContain(`GET ${path}`);
  });
});
