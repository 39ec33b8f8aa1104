import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, answerTo, farmAs, owner, serve, showConsole } from '../../test-console';

vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const at = '/api/farms/demo-farm-1';
const box = {
  id: 'AABBCCDDEE01',
  macid: 'AABBCCDDEE01',
  type: 'POLYHOUSE',
  name: 'North box',
  farmId: 'demo-farm-1',
  polyhouseId: 'p1',
  reservoirId: null,
  createdAt: 0,
  enabled: true,
  online: true,
  offlineSince: null,
  lastSeen: Date.now() - 125_000,
  firmware: '1.2',
  sensors: 7,
  devices: 3,
  passwordAt: 0,
  deadLetters: { count: 0, lastAt: null, lastReason: null },
};
const shutOut = {
  ...box,
  id: 'AABBCCDDEE02',
  macid: 'AABBCCDDEE02',
  name: 'Tank box',
  enabled: false,
  online: false,
  firmware: null,
  sensors: 1,
  devices: 0,
};
const lost = {
  ...box,
  id: 'AABBCCDDEE03',
  macid: 'AABBCCDDEE03',
  name: 'South box',
  online: false,
  offlineSince: Date.parse('2026-01-05T06:30:00Z'),
  lastSeen: null,
  deadLetters: { count: 41, lastAt: Date.parse('2026-01-05T06:00:00Z'), lastReason: 'malformed' },
};
const fresh = {
  ...lost,
  id: 'AABBCCDDEE04',
  macid: 'AABBCCDDEE04',
  name: 'New box',
  offlineSince: null,
  firmware: null,
  sensors: 0,
  devices: 0,
  deadLetters: null,
};
const place = { type: 'farm' };
const fan = {
  id: 'd1',
  name: 'Old fan',
  type: 'fan',
  supportedActions: [],
  state: { on: false, value: 0, mode: 'auto', source: 'system', lock: null },
  scope: place,
  online: false,
  gone: true,
  controller: null,
  leaseEnd: null,
};
const air = {
  id: 's1',
  name: null,
  type: 'temperature',
  unit: '°C',
  latestValue: null,
  at: null,
  scope: place,
  gone: true,
};
const here = { ...air, id: 's2', name: 'Bed 3', gone: false };
const account = {
  address: 'h:1883',
  username: 'AABBCCDDEE01',
  password: 'abcd1234',
  topic: 'harit/1/f/AABBCCDDEE01/',
};

async function show(more: Record<string, Answer> = {}, role: 'OWNER' | 'FARM_MANAGER' = 'OWNER') {
  const server = serve({
    [`GET ${at}/polyhouses`]: { body: [{ id: 'p1', name: 'House 1', zones: [], isActive: true, etag: '1' }] },
    [`GET ${at}/reservoirs`]: { body: [] },
    [`GET ${at}/latest-telemetry`]: { body: { latest: {}, sensors: [] } },
    [`GET ${at}/devices`]: { body: [fan] },
    [`GET ${at}/sensors`]: { body: [air, here] },
    [`GET ${at}/controllers`]: { body: [box, shutOut, lost, fresh] },
    [`POST ${at}/controllers/AABBCCDDEE01/secret`]: { status: 201, body: { mqtt: account } },
    [`PATCH ${at}/controllers/AABBCCDDEE02`]: { status: 204 },
    [`DELETE ${at}/controllers/AABBCCDDEE01`]: { status: 204 },
    [`DELETE ${at}/sensors/s1`]: { status: 204 },
    [`DELETE ${at}/devices/d1`]: {
      status: 409,
      body: {
        error: 'This cannot be deleted',
        code: 'in_use',
        problems: [{ path: 'rules.r1', code: 'in_use', message: 'Rule: Night air' }],
      },
    },
    'GET /api/farms': { body: [farmAs(role)] },
    ...more,
  });
  const view = showConsole('/automation/controllers', owner);
  await screen.findByText('North box');
  const sent = (call: string) => server.calls.filter((made) => made.call === call).map(({ body }) => body);
  const row = (mac: string) =>
    within(view.container.querySelector<HTMLElement>(`[data-controller="${mac}"]`) as HTMLElement);
  return { ...view, server, sent, row };
}

const password = () => document.querySelector('[data-password]')?.textContent;

describe('controllers', () => {
  it('say how each is, when it was last heard, and what was refused of it', async () => {
    const { row } = await show();
    const here = row('AABBCCDDEE01');
    for (const text of ['Online', '2m ago', 'Firmware 1.2', '7 sensors and 3 devices', '0'])
      expect(here.getByText(text)).toBeDefined();
    expect(row('AABBCCDDEE02').getByText('Blocked')).toBeDefined();
    expect(row('AABBCCDDEE02').getByText('1 sensor')).toBeDefined();
    const away = row('AABBCCDDEE03');
    expect(away.getByText(/^Offline since 5 Jan 2026/)).toBeDefined();
    expect(away.getByText('None since the server started')).toBeDefined();
    expect(away.getByText('41')).toBeDefined();
    expect(away.getByText('Cannot be read')).toBeDefined();
    expect(away.getByText(/^Its program sends what nobody can read/)).toBeDefined();
    const never = row('AABBCCDDEE04');
    expect(never.getByText('Not connected yet')).toBeDefined();
    expect(never.getAllByText('None yet')).toHaveLength(2);
  });

  it('are only seen by a farm manager, and not asked for by a viewer', async () => {
    await show({}, 'FARM_MANAGER');
    expect(screen.queryByRole('button', { name: 'Add controller' })).toBeNull();
    expect(screen.queryByRole('button', { name: /^New password/ })).toBeNull();
    cleanup();
    const server = serve({ 'GET /api/farms': { body: [farmAs('VIEWER')] } });
    showConsole('/controllers', owner);
    await screen.findByText('Only owners, admins and farm managers can see this page.');
    expect(server.calls.some(({ call }) => call === `GET ${at}/controllers`)).toBe(false);
  });

  it('get a new password, which is shown once; then it is said how to make another', async () => {
    const { sent, person } = await show();
    fireEvent.click(screen.getByRole('button', { name: 'New password for North box' }));
    await answerTo(person, /North box/, 'New password');
    const window = within(await screen.findByRole('dialog', { name: 'Connect North box' }));
    expect(password()).toBe('abcd1234');
    expect(await window.findByRole('img', { name: /^The QR code has all of this/ })).toBeDefined();
    expect(sent(`POST ${at}/controllers/AABBCCDDEE01/secret`)).toHaveLength(1);
    fireEvent.click(window.getByRole('button', { name: 'I have noted them' }));
    await waitFor(() => expect(password()).toBeUndefined());
    expect(await screen.findByText(/^If one is lost, you can make a new password at any time/)).toBeDefined();
    expect(JSON.stringify(localStorage)).not.toContain('abcd1234');
  });

  it('can be added where they stand; the window waits for the first message and says what was found', async () => {
    const added = { ...fresh, id: 'AABBCCDDEE05', macid: 'AABBCCDDEE05', name: 'House 1', passwordAt: 1_000 };
    const { sent, person, server } = await show({
      [`POST ${at}/controllers`]: { status: 201, body: { ...added, mqtt: account } },
    });
    fireEvent.click(screen.getByRole('button', { name: 'Add controller' }));
    const form = within(await screen.findByRole('dialog', { name: 'Add controller' }));
    const only = await form.findByRole<HTMLInputElement>('radio', { name: 'House 1' });
    await waitFor(() => expect(only.checked, 'the only house is chosen').toBe(true));
    await person.type(form.getByLabelText(/^Controller MAC ID/), 'aa-bb-cc');
    fireEvent.click(form.getByRole('button', { name: 'Save' }));
    expect(await form.findByText(/^Invalid MAC ID format/)).toBeDefined();
    await person.type(form.getByLabelText(/^Controller MAC ID/), '-dd-ee-05');
    server.table[`GET ${at}/controllers`] = { body: [box, added] };
    fireEvent.click(form.getByRole('button', { name: 'Save' }));
    const window = within(await screen.findByRole('dialog', { name: 'Connect House 1' }));
    expect(sent(`POST ${at}/controllers`)).toEqual([
      { type: 'POLYHOUSE', macid: 'aa-bb-cc-dd-ee-05', polyhouseId: 'p1' },
    ]);
    expect(window.getByText('Waiting for its first message…')).toBeDefined();
    server.table[`GET ${at}/controllers`] = {
      body: [box, { ...added, online: true, lastSeen: 2_000, sensors: 7 }],
    };
    // It has its password: the way goes on to what it found.
    const on = await window.findByRole('link', { name: 'Name its sensors, try its devices' });
    expect(on.getAttribute('href')).toBe('/automation/controllers/found?controller=AABBCCDDEE05');
    // On a slow machine the test has no connection for so long that what was good is not known to be.
    expect(await window.findByText(/^(It is online\. Found 7 sensors\.|as of .*)$/)).toBeDefined();
  });

  it('are renamed', async () => {
    const { sent, person } = await show({ [`PATCH ${at}/controllers/AABBCCDDEE01`]: { status: 204 } });
    fireEvent.click(screen.getByRole('button', { name: 'Edit North box' }));
    const form = within(await screen.findByRole('dialog', { name: 'Edit North box' }));
    const name = form.getByLabelText(/^Name/);
    await person.clear(name);
    await person.type(name, ' Gate box ');
    fireEvent.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`PATCH ${at}/controllers/AABBCCDDEE01`)).toEqual([{ name: 'Gate box' }]);
  });

  it('are blocked after a question that names what goes on', async () => {
    const goesOn = { ...fan, name: 'Roof fan', gone: false, controller: 'AABBCCDDEE01', leaseEnd: 60 };
    const elsewhere = { ...goesOn, id: 'd2', name: 'Shed fan', controller: 'AABBCCDDEE02' };
    const goesOff = { ...goesOn, id: 'd3', name: 'Door fan', leaseEnd: null };
    await show({ [`GET ${at}/devices`]: { body: [goesOn, elsewhere, goesOff] } });
    fireEvent.click(screen.getByRole('button', { name: 'Block North box' }));
    const question = await screen.findByText(/^Block North box\?/);
    expect(question.textContent).toMatch(/These go on instead.*: Roof fan\.$/);
  });

  it('are let in and removed, and nothing happens where the person says no', async () => {
    const { sent, person } = await show();
    fireEvent.click(screen.getByRole('button', { name: 'Unblock Tank box' }));
    await waitFor(() => expect(sent(`PATCH ${at}/controllers/AABBCCDDEE02`)).toEqual([{ enabled: true }]));
    const remove = await screen.findByRole('button', { name: 'Delete North box' });
    await waitFor(() => expect(remove.hasAttribute('disabled')).toBe(false));
    fireEvent.click(remove);
    await answerTo(person, /North box/, 'Cancel');
    expect(sent(`DELETE ${at}/controllers/AABBCCDDEE01`)).toEqual([]);
    fireEvent.click(remove);
    await answerTo(person, /North box/, 'Remove');
    await waitFor(() => expect(sent(`DELETE ${at}/controllers/AABBCCDDEE01`)).toHaveLength(1));
  });
});

describe('what is gone', () => {
  it('is listed and removed; what is there is not, and a refusal is said', async () => {
    const { sent, person } = await show();
    await screen.findByText('No longer reported');
    expect(screen.queryByText('Bed 3')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Remove Temperature' }));
    await answerTo(person, /Temperature/, 'Remove');
    await waitFor(() => expect(sent(`DELETE ${at}/sensors/s1`)).toHaveLength(1));
    const fanButton = screen.getByRole('button', { name: 'Remove Old fan' });
    await waitFor(() => expect(fanButton.hasAttribute('disabled')).toBe(false));
    fireEvent.click(fanButton);
    await answerTo(person, /Old fan/, 'Remove');
    expect(await screen.findByText('This cannot be deleted · Rule: Night air')).toBeDefined();
  });

  it('is asked for once more where something goes by it, with its names', async () => {
    const problems = [{ path: 'rules.r1', code: 'in_use', message: 'Rule: Night air' }];
    const body = { error: 'This cannot be deleted', code: 'in_use', problems };
    const { server, person, row } = await show({
      [`DELETE ${at}/controllers/AABBCCDDEE01`]: { status: 409, body },
    });
    fireEvent.click(row('AABBCCDDEE01').getByRole('button', { name: 'Delete North box' }));
    await answerTo(person, /North box/, 'Remove');
    await answerTo(person, /no longer see.*Rule: Night air/, 'Remove anyway');
    const removals = () =>
      server.calls.filter(({ call }) => call === `DELETE ${at}/controllers/AABBCCDDEE01`);
    await waitFor(() => expect(removals().map(({ query }) => query)).toEqual([{}, { anyway: 'true' }]));
  });
});
