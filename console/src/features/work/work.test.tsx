import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, farmAs, owner, serve, showConsole } from '../../test-console';
import { fitted } from './scaled';

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const worker = { ...owner, role: 'WORKER', name: 'Ramesh Pawar' } as const;
const base = '/api/farms/demo-farm-1/work';
const prune = {
  id: 't1',
  title: 'Prune row 4',
  description: 'Leave the two lowest leaves.',
  note: null,
  photoAt: null,
  assignee: { id: 'u1', name: 'Ramesh Pawar' },
  dueDate: '2026-11-20',
  category: null,
  about: null,
  priority: 'HIGH',
  status: 'OPEN',
  isOverdue: true,
  createdAt: 0,
  updatedAt: 0,
  etag: 'v1',
};
const house = {
  polyhouseId: 'p1',
  name: 'Polyhouse 1',
  verdict: 'danger',
  reasons: [
    {
      verdict: 'danger',
      act: 'check_sensor',
      polyhouseId: 'p1',
      since: null,
      what: { kind: 'device_offline', device: { id: 'fan', name: 'Fan' } },
    },
  ],
  more: 0,
  latest: {
    temperature: { value: 31.5, unit: '°C', at: Date.now() - 120_000 },
    vpd: { value: 1.4, unit: 'kPa', at: Date.now() },
  },
};
const fan = {
  id: 'fan',
  name: 'Fan 1',
  etag: 'v1',
  type: 'fan',
  supportedActions: [{ action: 'on' }, { action: 'off' }, { action: 'pulse' }],
  state: {
    value: null,
    on: false,
    mode: 'auto',
    source: 'system',
    lock: null,
    locks: [],
    safety: false,
    manualOverrideUntil: null,
  },
  scope: { type: 'farm' },
  online: true,
  lastUpdated: 1,
  gone: false,
  controller: null,
  rest: { action: 'off', value: null },
  safe: { action: 'off', value: null },
  leaseEnd: null,
  max_on_sec: null,
  max_pulse_sec_per_hour: null,
  limits: null,
  limits_state: null,
  desired: { action: 'off', value: null },
  desired_by: 'rest',
  pulse: null,
  claims: [],
  last_sent: null,
  on_since: null,
  max_on_at: null,
  own: false,
};
const work = { tasks: [prune], houses: [house], devices: [fan] };

async function page(answers: Record<string, Answer> = {}, at = '/dashboard') {
  const server = serve({
    'GET /auth/me': { body: { user: worker } },
    'GET /api/farms': { body: [farmAs('WORKER')] },
    'GET /api/farms/demo-farm-1/stop': { body: { stops: [] } },
    [`GET ${base}`]: { body: work },
    ...answers,
  });
  const view = showConsole(at, worker);
  await screen.findByRole('heading', { level: 1, name: 'My work' });
  await screen.findByText('Prune row 4');
  const sent = (call: string) => server.calls.find((made) => made.call === call);
  return { ...view, server, sent };
}

describe('/work', () => {
  it('is where a worker comes, with no menu, and asks for nothing that would be refused', async () => {
    const { path, server } = await page();
    expect(path()).toBe('/work');
    expect(screen.queryByRole('button', { name: 'Open menu' })).toBeNull();
    expect(screen.getByRole('button', { name: /STOP/i })).toBeDefined();
    expect(screen.getByText(/^Overdue since/)).toBeDefined();
    const house = within(screen.getByRole('heading', { name: 'Polyhouse 1' }).closest('li') as HTMLElement);
    expect(house.getByText('31.5 °C')).toBeDefined();
    expect(house.getByText('2m ago')).toBeDefined();
    const asked = new Set(server.calls.map(({ call }) => call));
    expect([...asked].filter((call) => !/auth\/|GET \/api\/farms$|\/stop$|\/work$/.test(call))).toEqual([]);
  });

  it('begins and finishes a task, with the version that was seen', async () => {
    const change = `PATCH ${base}/tasks/t1`;
    const { person, server, sent } = await page({ [change]: { body: prune } });
    server.table[`GET ${base}`] = {
      body: { ...work, tasks: [{ ...prune, status: 'IN_PROGRESS', isOverdue: false }] },
    };
    await person.click(screen.getByRole('button', { name: 'Start' }));
    await waitFor(() => expect(sent(change)?.body).toEqual({ step: 'begun' }));
    await screen.findByText('Started');
    await person.click(screen.getByRole('button', { name: 'Note' }));
    await person.type(screen.getByLabelText('Note'), 'Two rows left');
    await person.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(server.calls.some(({ body }) => JSON.stringify(body) === '{"note":"Two rows left"}')).toBe(true),
    );
    await person.click(screen.getByRole('button', { name: 'Done' }));
    await waitFor(() =>
      expect(server.calls.some(({ body }) => JSON.stringify(body) === '{"step":"finished"}')).toBe(true),
    );
  });

  it('says why a task was not changed', async () => {
    const { person } = await page({
      [`PATCH ${base}/tasks/t1`]: { status: 412, body: { error: 'Somebody changed this', code: 'x' } },
    });
    await person.click(screen.getByRole('button', { name: 'Done' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Somebody changed this');
  });

  it('switches what was given for ten minutes, and says what became of it', async () => {
    const call = `POST ${base}/commands`;
    const { person, sent } = await page({
      [call]: { body: { status: 'failure', message: 'Device is offline', command_id: null } },
    });
    const device = within(screen.getByRole('heading', { name: 'Fan 1' }).closest('li') as HTMLElement);
    await person.click(device.getByRole('button', { name: 'On for 10 min' }));
    await device.findByText('Device is offline');
    expect(sent(call)?.body).toEqual({ deviceId: 'fan', action: 'on', durationSec: 600 });
  });

  it('does not offer what a locked device would refuse', async () => {
    const lock = { kind: 'stop', reason: 'stop', since: 1, by: null };
    const locked = { ...fan, state: { ...fan.state, lock: 'stop', locks: [lock] } };
    await page({ [`GET ${base}`]: { body: { ...work, devices: [locked] } } });
    const device = within(screen.getByRole('heading', { name: 'Fan 1' }).closest('li') as HTMLElement);
    expect(device.queryByRole('button')).toBeNull();
    expect(device.getByText('Device locked (safety override)')).toBeDefined();
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('offers to give back what one runs oneself: %s', async (own, buttons) => {
    const state = {
      ...fan.state,
      mode: 'manual',
      source: 'Ravi Jadhav',
      manualOverrideUntil: Date.now() + 60_000,
    };
    await page({ [`GET ${base}`]: { body: { ...work, devices: [{ ...fan, own, state }] } } });
    const device = within(screen.getByRole('heading', { name: 'Fan 1' }).closest('li') as HTMLElement);
    expect(device.getByText(/Ravi Jadhav/)).toBeDefined();
    expect(device.queryAllByRole('button', { name: 'Give back to automatic' })).toHaveLength(buttons);
  });

  it('refuses a file that is no picture', async () => {
    const { server } = await page();
    vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('no picture')));
    const input = document.querySelector('input[type=file]') as HTMLInputElement;
    fireEvent.change(input, { target: { files: [new File(['x'], 'x.txt')] } });
    await screen.findByText('This photo cannot be used. Try another one.');
    expect(server.calls.some(({ call }) => call.startsWith('PUT'))).toBe(false);
  });
});

describe('a photo', () => {
  it.each([
    [4_000, 3_000, 1_280, 960],
    [3_000, 4_000, 960, 1_280],
    [800, 600, 800, 600],
    [0, 0, 0, 0],
  ])('of %i by %i is sent as %i by %i', (width, height, w, h) => {
    expect(fitted(width, height)).toEqual({ width: w, height: h });
  });
});
