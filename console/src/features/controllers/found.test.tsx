import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, farmAs, owner, serve, showConsole } from '../../test-console';

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
  sensors: 2,
  devices: 2,
  passwordAt: 0,
  deadLetters: null,
};
const sensor = {
  id: 's1',
  name: 'Temperature 1',
  type: 'temperature',
  unit: '°C',
  latestValue: 24,
  at: 1,
  scope: { type: 'polyhouse', polyhouseId: 'p1' },
  staleAfterSec: 120,
  controller: MAC,
  state: 'fresh',
  gone: false,
  etag: 'e1',
  risen: null as number | null,
};
const second = { ...sensor, id: 's2', name: null as string | null, etag: 'e2' };
const device = {
  id: 'd1',
  name: 'K1',
  etag: 'f1',
  type: 'fan',
  supportedActions: [{ action: 'on' }, { action: 'off' }, { action: 'pulse' }],
  state: {
    value: 0,
    on: false,
    mode: 'auto',
    source: 'rest',
    lock: null,
    locks: [],
    safety: false,
    manualOverrideUntil: null,
  },
  scope: sensor.scope,
  online: true,
  lastUpdated: 1,
  gone: false,
  controller: MAC,
  desired_by: 'rest',
  pulse: null,
  claims: [],
};
const vent = {
  ...device,
  id: 'd2',
  name: 'V1',
  type: 'vent',
  supportedActions: [{ action: 'set_position' }],
};
const houses = [
  { id: 'p1', name: 'House 1', zones: [{ id: 'z1', name: 'North bench' }], isActive: true, etag: '1' },
  { id: 'p2', name: 'House 2', zones: [], isActive: true, etag: '1' },
];

async function show(
  sensors: unknown[],
  more: Record<string, Answer> = {},
  role: 'OWNER' | 'FARM_MANAGER' = 'OWNER',
) {
  const server = serve({
    [`GET ${at}/polyhouses`]: { body: houses },
    [`GET ${at}/devices`]: { body: [device, vent] },
    [`GET ${at}/sensors`]: { body: [sensor, second] },
    [`GET ${at}/controllers`]: { body: [controller] },
    [`GET ${at}/controllers/${MAC}/sensors`]: { body: sensors },
    [`PATCH ${at}/sensors/s2`]: { body: second },
    [`PATCH ${at}/devices/d1`]: { body: device },
    [`POST ${at}/commands`]: { body: { command_id: 'c1', status: 'ack', message: null } },
    [`GET ${at}/commands/c1`]: {
      body: { command_id: 'c1', state: 'confirmed', changed_at: 1, message: null },
    },
    'GET /api/farms': { body: [farmAs(role)] },
    ...more,
  });
  const view = showConsole(`/automation/controllers/found?controller=${MAC}`, owner);
  const sent = (call: string) => server.calls.filter((made) => made.call === call);
  const naming = (id: string) => within(view.container.querySelector(`[data-naming="${id}"]`) as HTMLElement);
  return { ...view, server, sent, naming };
}

describe('what a controller found', () => {
  it('asks for the sensor that just rose, and names it in two taps', async () => {
    const { server, sent, naming, container } = await show([
      { ...second, latestValue: 26.1, risen: 2.1 },
      sensor,
    ]);
    await screen.findByRole('heading', { name: 'Temperature just rose by 2.1 °C' });
    expect(screen.getByText('Found 2 sensors and 2 devices.')).toBeTruthy();
    const user = userEvent.setup();
    await user.click(naming('s2').getByRole('radio', { name: 'North bench' }));
    // The number of the first is taken.
    await user.click(naming('s2').getByRole('button', { name: 'Temperature 2, north' }));
    await screen.findByText('Saved: Temperature 2, north. On to the next one.');
    const [made] = sent(`PATCH ${at}/sensors/s2`);
    expect(made?.body).toEqual({
      name: 'Temperature 2, north',
      scope: { type: 'zone', polyhouseId: 'p1', zoneId: 'z1' },
    });
    expect(made?.headers['if-match']).toBe('"e2"');
    // It cools down slowly: it is not asked for again.
    server.table[`GET ${at}/controllers/${MAC}/sensors`] = { body: [{ ...second, risen: 1.2 }, sensor] };
    expect(container.querySelector('[data-naming]')).toBeNull();
  });

  it('keeps the one that is asked for while another rises', async () => {
    const { server, container } = await show([{ ...second, risen: 0.8 }, sensor]);
    await screen.findByRole('heading', { name: 'Temperature just rose by 0.8 °C' });
    server.table[`GET ${at}/controllers/${MAC}/sensors`] = {
      body: [
        { ...sensor, risen: 5 },
        { ...second, risen: 0.9 },
      ],
    };
    await waitFor(() =>
      expect(container.querySelector('[data-sensor="s1"][data-risen="true"]')).toBeTruthy(),
    );
    expect(container.querySelectorAll('[data-naming="s2"]')).toHaveLength(1);
  });

  it('runs a device for five seconds after a question, and then has it named', async () => {
    const { sent, naming } = await show([sensor, second]);
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Run 5 s: K1' }));
    expect(sent(`POST ${at}/commands`)).toHaveLength(0);
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Run 5 s' }));
    await screen.findByText('K1 was switched on. Which one ran?');
    expect(sent(`POST ${at}/commands`)[0]?.body).toMatchObject({
      cmd_type: 'pulse',
      device_id: 'd1',
      action: { mode: 'manual', duration_sec: 5 },
    });
    const row = document.querySelector('[data-device="d1"]') as HTMLElement;
    await user.click(within(row).getAllByRole('button', { name: 'Name' })[0] as HTMLElement);
    await user.click(naming('d1').getByRole('button', { name: 'Fan 1' }));
    await waitFor(() => expect(sent(`PATCH ${at}/devices/d1`)[0]?.body).toEqual({ name: 'Fan 1' }));
    // What takes no pulse is tried where it is controlled.
    expect(
      within(document.querySelector('[data-device="d2"]') as HTMLElement)
        .getByRole('link')
        .getAttribute('href'),
    ).toBe('/automation/manual?device=d2');
  });

  it('says why a device did not run', async () => {
    await show([sensor, second], {
      [`POST ${at}/commands`]: { body: { command_id: null, status: 'failure', message: 'It is locked' } },
    });
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Run 5 s: K1' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Run 5 s' }));
    await screen.findByText('It was not switched on. It is locked');
  });

  it('lets a manager try, and not name', async () => {
    const { container } = await show([{ ...second, risen: 2 }, sensor], {}, 'FARM_MANAGER');
    await screen.findByRole('button', { name: 'Run 5 s: K1' });
    expect(screen.getByText('Just rose by 2 °C')).toBeTruthy();
    expect(container.querySelector('[data-naming]')).toBeNull();
    expect(screen.queryByRole('button', { name: /^Name/ })).toBeNull();
  });

  it('waits live until the controller says what it has', async () => {
    const { server } = await show([], { [`GET ${at}/devices`]: { body: [] } });
    await screen.findByText(/Waiting for its list/);
    server.table[`GET ${at}/controllers/${MAC}/sensors`] = { body: [sensor] };
    await screen.findByText('Found 1 sensor.');
    cleanup();
  });
});
