// What is not on automatic stands on every page in one line, and opens a list with who, since when and the way back.
import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { farmAs, owner, serve, showConsole } from '../../test-console';

const exceptions = 'GET /api/farms/demo-farm-1/exceptions';
const commands = 'POST /api/farms/demo-farm-1/commands';
const one = (kind: string, more: object = {}) => ({
  kind,
  id: kind,
  names: [`The ${kind}`],
  count: 1,
  sensorType: null,
  polyhouseId: null,
  by: null,
  since: null,
  until: null,
  reason: null,
  ...more,
});
const override = (name: string, minutes: number) =>
  one('override', { id: name, names: [name], by: 'Ravi', until: Date.now() + minutes * 60_000 });

async function strip(items: object[], count = items.length) {
  const server = serve({
    [exceptions]: { body: { count, items } },
    [commands]: { body: { status: 'success', message: null, command_id: 'c' } },
    'GET /api/farms/demo-farm-1/polyhouses': { body: [{ id: 'ph-1', name: 'House 1', zones: [] }] },
  });
  const { person } = showConsole('/profile', owner);
  const region = await screen.findByRole('region', { name: 'Not on automatic' });
  const line = within(region).getByRole('button');
  return { server, person, line };
}

it('is named where it is one thing, with the time left', async () => {
  const { line } = await strip([override('Pump 1', 10)]);
  expect(line.textContent).toMatch(/^Not on automatic: Pump 1(10:00|9:\d\d)$/);
});

it('is counted where there is more, with the time of what ends first', async () => {
  const { line } = await strip([override('A', 30), one('safety'), override('B', 20)]);
  expect(line.textContent).toMatch(/^3 things are not on automatic(20:00|19:\d\d)$/);
});

it('opens a list with who and the way to each', async () => {
  const silent = {
    names: ['Air 1'],
    sensorType: 'temperature',
    polyhouseId: 'ph-1',
    since: 1_764_000_000_000,
  };
  const { line, person } = await strip(
    [
      one('stop', { by: 'Asha', reason: 'belt' }),
      one('rule_disabled'),
      one('alert_muted'),
      one('sensors_silent', silent),
    ],
    9,
  );
  await person.click(line);
  const dialog = await screen.findByRole('dialog', { name: 'Not on automatic' });
  const rows = within(dialog).getAllByRole('listitem');
  expect(rows[0]?.textContent).toBe('The stop is stoppedAsha · beltFind the cause, then unlock it');
  const ways = rows.map((row) => within(row).getByRole('link').getAttribute('href'));
  expect(ways).toEqual([
    '/automation/manual?device=stop',
    '/automation/rules',
    '/alerts/alert_muted',
    '/polyhouses?open=ph-1',
  ]);
  expect(await within(dialog).findByText('House 1: no temperature reading from Air 1')).toBeDefined();
  expect(within(dialog).getByText('and 5 more')).toBeDefined();
});

it('gives a device back from the list', async () => {
  const { line, person, server } = await strip([override('Pump 1', 10)]);
  await person.click(line);
  server.table[exceptions] = { body: { count: 0, items: [] } };
  await person.click(await screen.findByRole('button', { name: 'Give back Pump 1' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Not on automatic' })).toBeNull());
  expect(server.calls.find(({ call }) => call === commands)?.body).toMatchObject({
    cmd_type: 'release',
    device_id: 'Pump 1',
  });
});

it('is not there where all is on automatic', async () => {
  const server = serve({ [exceptions]: { body: { count: 0, items: [] } } });
  showConsole('/profile', owner);
  await waitFor(() => expect(server.calls.some(({ call }) => call === exceptions)).toBe(true));
  expect(screen.queryByRole('region', { name: 'Not on automatic' })).toBeNull();
});

it('asks nothing for a worker', async () => {
  const server = serve({ 'GET /api/farms': { body: [farmAs('WORKER')] } });
  showConsole('/profile', owner);
  await screen.findByRole('heading', { level: 1 });
  expect(server.calls.some(({ call }) => call === exceptions)).toBe(false);
});
