import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { farmAs, owner, serve, showConsole } from '../../test-console';

vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const at = '/api/farms/demo-farm-1';
const MAC = 'AABBCCDDEE01';
const controller = {
  id: MAC,
  macid: MAC,
  type: 'POLYHOUSE',
  name: 'North box',
  farmId: 'demo-farm-1',
  polyhouseId: 'p1',
  reservoirId: null,
  createdAt: 0,
  enabled: true,
  online: true,
  offlineSince: null,
  lastSeen: 1,
  firmware: null,
  sensors: 0,
  devices: 1,
  passwordAt: 0,
  deadLetters: null,
};
const lock = (reason: string) => [{ kind: 'controller', reason, by: null, since: 1 }];
const relay = (locks: unknown[]) => ({
  id: 'tasmota:bed-1/POWER1',
  name: 'bed-1 POWER1',
  etag: 'f1',
  type: 'pump',
  supportedActions: [{ action: 'on' }, { action: 'off' }],
  state: {
    value: null,
    on: false,
    mode: 'auto',
    source: 'rest',
    lock: null,
    locks,
    safety: false,
    manualOverrideUntil: null,
  },
  scope: { type: 'polyhouse', polyhouseId: 'p1' },
  online: true,
  lastUpdated: 1,
  gone: false,
  controller: MAC,
  desired_by: 'rest',
  pulse: null,
  claims: [],
});
const path = `${at}/devices/tasmota%3Abed-1%2FPOWER1/lease-test`;
const test = (state: string, failure: string | null = null) => ({
  state,
  failure,
  startedAt: 5,
  seconds: 10,
});

async function show(reason: string, role: 'OWNER' | 'FARM_MANAGER' = 'OWNER') {
  const server = serve({
    'GET /api/farms': { body: [farmAs(role)] },
    [`GET ${at}/controllers`]: { body: [controller] },
    [`GET ${at}/controllers/${MAC}/sensors`]: { body: [] },
    [`GET ${at}/devices`]: { body: [relay(lock(reason))] },
    [`GET ${at}/polyhouses`]: {
      body: [{ id: 'p1', name: 'House 1', zones: [], isActive: true, etag: '1' }],
    },
    [`GET ${at}/sensors`]: { body: [] },
    [`POST ${path}`]: { status: 202, body: test('switching_off') },
    [`GET ${path}`]: { body: test('waiting') },
  });
  showConsole(`/automation/controllers/found?controller=${MAC}`, owner);
  // The page is loaded first, which takes a busy machine a while.
  await screen.findByText('bed-1 POWER1');
  return { server, person: userEvent.setup() };
}

describe('the test of whether a device goes off by itself', () => {
  it('asks whether nobody is there, tells how it goes, and what came of it', async () => {
    const { server, person } = await show('lease_unproven');
    expect(screen.getByText(/^Not proven yet that it goes off by itself/)).toBeDefined();
    await person.click(screen.getByRole('button', { name: 'Test whether bed-1 POWER1 goes off by itself' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText(/Is nobody at the machine\?$/)).toBeDefined();
    expect(server.calls.some(({ call }) => call === `POST ${path}`)).toBe(false);
    await person.click(dialog.getByRole('button', { name: 'Nobody is there: test' }));
    await screen.findByText('It is on. It has to go off by itself within 10 s…');
    expect(server.calls.find(({ call }) => call === `POST ${path}`)?.body).toEqual({
      nobodyAtTheMachine: true,
    });
    server.table[`GET ${path}`] = { body: test('proven') };
    server.table[`GET ${at}/devices`] = { body: [relay([])] };
    await screen.findByText('bed-1 POWER1 goes off by itself. It can be used.');
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Test whether/ })).toBeNull());
    cleanup();
  });

  it('says why it failed, and may be begun again', async () => {
    const { server, person } = await show('lease_unproven');
    server.table[`GET ${path}`] = { body: test('failed', 'stayed_on') };
    await person.click(screen.getByRole('button', { name: /^Test whether/ }));
    await person.click(await screen.findByRole('button', { name: 'Nobody is there: test' }));
    await screen.findByText(/^It stayed on and was switched off from here/);
    expect(screen.getByRole('button', { name: /^Test whether/ }).hasAttribute('disabled')).toBe(false);
  });

  it.each([
    ['no_lease', 'OWNER', /never switched on from here/],
    ['lease_unproven', 'FARM_MANAGER', /^Not proven yet/],
  ] as const)('has no button for %s and a %s', async (reason, role, text) => {
    await show(reason, role);
    expect(screen.getByText(text)).toBeDefined();
    expect(screen.queryByRole('button', { name: /^Test whether/ })).toBeNull();
  });
});
