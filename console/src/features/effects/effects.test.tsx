import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { farmAs, owner, serve, showConsole } from '../../test-console';
import { type DeviceEffect, inOrder } from './queries';

vi.setConfig({ testTimeout: 60_000 });
afterEach(forgetSession);

const base = '/api/farms/demo-farm-1';
const scope = { type: 'polyhouse', polyhouseId: 'p1' };
const house = { id: 'p1', name: 'Capsicum house', zonesCount: 0, capacity: null, isActive: true, zones: [] };
const device = (id: string, name: string) => ({
  id,
  name,
  type: 'fan',
  scope,
  controller: null,
  online: true,
  lastUpdated: null,
  supportedActions: [{ action: 'on' }],
  state: { mode: 'auto', manualOverrideUntil: null, locks: [], reported: null },
  max_on_at: null,
});
const effect = (device_id: string, more: Partial<DeviceEffect> = {}): DeviceEffect => ({
  device_id,
  setting: { off: false, kind: null, sensor_id: null, window_min: null },
  expected: [
    {
      signal: 'temperature',
      direction: 'falls',
      response: 'while',
      delay_min: 2,
      window_min: 10,
      sensors: ['t1'],
    },
  ],
  told: 15,
  worked: 14,
  failing: null,
  ...more,
});
const failing = {
  since: Date.parse('2026-11-21T06:30:00Z'),
  minutes: 22,
  runs: 1,
  numbers: {
    signal: 'temperature' as const,
    unit: '°C',
    minutes: 10,
    change: 0.2,
    usual: -2.5,
    without: 0.1,
    cut: -1,
    learned: 40,
  },
};

async function page(devices: DeviceEffect[], role = 'OWNER') {
  const server = serve({
    'GET /api/farms': { body: [farmAs(role)] },
    [`GET ${base}/polyhouses`]: { body: [house] },
    [`GET ${base}/sensors`]: {
      body: [
        { id: 't1', name: 'Air, north', type: 'temperature', scope },
        { id: 't2', name: 'Air, south', type: 'temperature', scope },
      ],
    },
    [`GET ${base}/devices`]: { body: [device('f1', 'Fan 1'), device('f2', 'Fan 2')] },
    [`GET ${base}/effects`]: {
      body: {
        devices,
        drifts: [{ sensor_id: 't1', or_other: 't2', since: 0, now: 2.4, usual: 0.3, at_most: 1 }],
      },
    },
    [`PUT ${base}/devices/f2/effects`]: { body: effect('f2').setting },
  });
  const view = showConsole('/automation/effects', owner);
  await screen.findByRole('heading', { level: 1 });
  const card = async (name: string) =>
    within((await screen.findByRole('heading', { level: 2, name })).closest('li') as HTMLElement);
  return { ...view, server, card };
}

it('says of each device in words how its runs went, and which sensors left their neighbours', async () => {
  const { card } = await page([effect('f1'), effect('f2', { failing })], 'VIEWER');
  const broken = await card('Fan 2');
  expect(broken.getByText('No effect')).toBeDefined();
  expect(broken.getByText(/as a rule -2.5 °C, without a run 0.1 °C \(from 40 runs\)/)).toBeDefined();
  const good = await card('Fan 1');
  expect(good.getByText('Works')).toBeDefined();
  expect(good.getByText('Worked in 14 of the last 15 runs')).toBeDefined();
  expect(good.getByText('Shows in: Temperature (within 10 min)')).toBeDefined();
  expect(await screen.findByText('Air, north or Air, south')).toBeDefined();
  expect(screen.getByText(/2.4 °C from its neighbours, before it was 0.3 °C/)).toBeDefined();
  expect(screen.queryByRole('button', { name: /^Change the check/ })).toBeNull();
});

it('changes how a device is checked', async () => {
  const { person, server, card } = await page([effect('f2')]);
  await person.click((await card('Fan 2')).getByRole('button', { name: 'Change the check: Fan 2' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Check of Fan 2' }));
  await person.selectOptions(dialog.getByLabelText('What it is there for'), 'heater');
  await person.selectOptions(dialog.getByLabelText('Sensor that shows it'), 't2');
  await person.type(dialog.getByLabelText('Shows within (minutes)'), '30');
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(server.calls.filter(({ call }) => call.startsWith('PUT')).map(({ body }) => body)).toEqual([
      { off: false, kind: 'heater', sensor_id: 't2', window_min: 30 },
    ]),
  );
});

it('shows what does nothing first', () => {
  const order = inOrder([effect('new', { told: 0 }), effect('good'), effect('bad', { failing })]);
  expect(order.map(({ device_id }) => device_id)).toEqual(['bad', 'good', 'new']);
});
