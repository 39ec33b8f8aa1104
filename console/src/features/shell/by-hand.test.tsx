// What is under manual control stands on every page, with its countdown, and leads there.
import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { farmAs, owner, serve, showConsole } from '../../test-console';

const devices = 'GET /api/farms/demo-farm-1/devices';
const device = (id: string, mode: 'auto' | 'manual', minutes = 0) => ({
  id,
  name: id,
  type: 'pump',
  gone: false,
  online: true,
  supportedActions: [],
  claims: [],
  scope: { type: 'farm' },
  desired_by: 'rest',
  state: {
    mode,
    on: true,
    value: 0,
    lock: null,
    locks: [],
    source: 'Asha',
    safety: false,
    manualOverrideUntil: mode === 'manual' ? Date.now() + minutes * 60_000 : null,
  },
});

async function strip(body: object[]) {
  serve({ [devices]: { body } });
  showConsole('/profile', owner);
  const name = 'Devices under manual control';
  const nav = await screen.findByRole('navigation', { name }, { timeout: 12_000 });
  return nav.querySelector('a') as HTMLAnchorElement;
}

it('is named, and leads to the device', async () => {
  const link = await strip([device('Pump 1', 'manual', 10), device('Pump 2', 'auto')]);
  expect(link.textContent).toMatch(/^Manual: Pump 1(10:00|9:\d\d)$/);
  expect(link.getAttribute('href')).toBe('/automation/manual?device=Pump%201');
});

it('is counted where there is more, with the time of what ends first', async () => {
  const link = await strip([30, 20, 40].map((minutes) => device(`Pump ${minutes}`, 'manual', minutes)));
  expect(link.textContent).toMatch(/^Manual: 3 devices(20:00|19:\d\d)$/);
  expect(link.getAttribute('href')).toBe('/automation/manual');
});

it('is not there where nobody has taken anything', async () => {
  const server = serve({ [devices]: { body: [device('Pump 1', 'auto')] } });
  showConsole('/profile', owner);
  await waitFor(() => expect(server.calls.some(({ call }) => call === devices)).toBe(true));
  expect(screen.queryByRole('navigation', { name: 'Devices under manual control' })).toBeNull();
});

it('asks nothing for a worker', async () => {
  const server = serve({
    'GET /api/farms': { body: [farmAs('WORKER')] },
    [devices]: { status: 403, body: { error: 'no', code: 'forbidden' } },
  });
  showConsole('/profile', owner);
  await screen.findByRole('heading', { level: 1 });
  expect(server.calls.some(({ call }) => call === devices)).toBe(false);
});
