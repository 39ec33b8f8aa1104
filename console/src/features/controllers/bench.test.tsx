import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { farmAs, owner, serve, showConsole } from '../../test-console';

vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  cleanup();
  forgetSession();
  vi.restoreAllMocks();
});

const at = '/api/farms/demo-farm-1';
const letter = {
  topic: 'barn/tank/1',
  reason: 'no_profile',
  payload: '68',
  count: 3,
  firstAt: 0,
  lastAt: 1,
};
const result = {
  profile: 'barn',
  unread: null,
  problems: [],
  readings: [
    { id: 'tank/1', type: 'water_temperature', value: 20, plausible: true, at: null },
    { id: 'tank/2', type: 'water_temperature', value: null, plausible: false, at: null },
  ],
  online: null,
  devices: [],
  announced: [],
};

it('an unknown message is picked, a profile chosen and changed, and what it becomes is shown', async () => {
  const server = serve({
    [`GET ${at}/dead-letters`]: { body: [letter, { ...letter, topic: 'x', reason: 'malformed' }] },
    [`GET ${at}/device-profiles`]: { body: [] },
    'GET /api/device-profiles': {
      body: [{ id: 'tasmota', name: 'Tasmota', source: '', document: 'id = "tasmota"' }],
    },
    [`POST ${at}/device-profiles/try`]: { body: result },
    'GET /api/farms': { body: [farmAs('OWNER')] },
  });
  showConsole('/automation/controllers/bench', owner);
  const unknown = await screen.findByLabelText('1 unknown sender');
  fireEvent.change(unknown, { target: { value: '0' } });
  expect(screen.getByLabelText('Topic')).toHaveProperty('value', 'barn/tank/1');
  expect(screen.getByLabelText('Content')).toHaveProperty('value', '68');
  await waitFor(() => expect(screen.getByText('Tasmota')).toBeTruthy());
  fireEvent.change(screen.getByLabelText('Begin with'), { target: { value: 'tasmota' } });
  const document = screen.getByLabelText(/^Profile as text/);
  expect(document).toHaveProperty('value', 'id = "tasmota"');
  fireEvent.change(document, { target: { value: 'id = "barn"' } });
  fireEvent.click(screen.getByRole('button', { name: 'Try' }));
  expect(await screen.findByText('Read by the profile barn.')).toBeTruthy();
  expect(screen.getByText('Water temperature (tank/1): 20 °C')).toBeTruthy();
  expect(screen.getByText('Water temperature (tank/2): no value (a fault)')).toBeTruthy();
  const sent = server.calls.filter(({ call }) => call === `POST ${at}/device-profiles/try`);
  expect(sent.map(({ body }) => body)).toEqual([
    { topic: 'barn/tank/1', payload: '68', document: 'id = "barn"' },
  ]);
});
