import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, answerTo, owner, serve, showConsole } from '../../test-console';

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
  lastSeen: Date.parse('2026-11-21T06:30:00Z'),
  firmware: '1.2',
  sensors: 7,
  devices: 3,
};
const shutOut = {
  ...box,
  id: 'AABBCCDDEE02',
  macid: 'AABBCCDDEE02',
  name: 'Tank box',
  enabled: false,
  online: false,
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
  password: 'new-secret',
  topic: 'harit/1/f/AABBCCDDEE01/',
};

async function show(more: Record<string, Answer> = {}) {
  const server = serve({
    [`GET ${at}/polyhouses`]: { body: [] },
    [`GET ${at}/latest-telemetry`]: { body: { latest: {}, sensors: [] } },
    [`GET ${at}/devices`]: { body: [fan] },
    [`GET ${at}/sensors`]: { body: [air, here] },
    [`GET ${at}/controllers`]: { body: [box, shutOut] },
    [`POST ${at}/controllers/AABBCCDDEE01/secret`]: { status: 201, body: { mqtt: account } },
    [`PATCH ${at}/controllers/AABBCCDDEE02`]: { status: 204 },
    [`DELETE ${at}/controllers/AABBCCDDEE01`]: { status: 204 },
    [`DELETE ${at}/sensors/s1`]: { status: 204 },
    [`DELETE ${at}/devices/d1`]: {
      status: 409,
      body: { error: 'This cannot be deleted', code: 'in_use', problems: [] },
    },
    ...more,
  });
  const view = showConsole('/polyhouses', owner);
  await screen.findByText('North box');
  const sent = (call: string) => server.calls.filter((made) => made.call === call).map(({ body }) => body);
  const row = (mac: string) =>
    within(view.container.querySelector<HTMLElement>(`[data-controller="${mac}"]`) as HTMLElement);
  return { ...view, sent, row };
}

describe('controllers', () => {
  it('say how each is', async () => {
    const { row } = await show();
    expect(row('AABBCCDDEE01').getByText('Connected')).toBeDefined();
    expect(row('AABBCCDDEE01').getByText('7 sensors, 3 devices')).toBeDefined();
    expect(row('AABBCCDDEE02').getAllByText('Blocked')).toHaveLength(1);
  });

  it('get a new password, which is shown once', async () => {
    const { sent, person } = await show();
    fireEvent.click(screen.getByRole('button', { name: 'New password for North box' }));
    await answerTo(person, /North box/, 'New password');
    expect(await screen.findByText('new-secret')).toBeDefined();
    expect(sent(`POST ${at}/controllers/AABBCCDDEE01/secret`)).toHaveLength(1);
    fireEvent.click(screen.getByRole('button', { name: 'I have noted them' }));
    await waitFor(() => expect(screen.queryByText('new-secret')).toBeNull());
  });

  it('are let in and removed, and nothing happens where the person says no', async () => {
    const { sent, person } = await show();
    fireEvent.click(screen.getByRole('button', { name: 'Unblock Tank box' }));
    await waitFor(() => expect(sent(`PATCH ${at}/controllers/AABBCCDDEE02`)).toEqual([{ enabled: true }]));
    const remove = await screen.findByRole('button', { name: 'Remove North box' });
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
    expect(await screen.findByText('This cannot be deleted')).toBeDefined();
  });
});
