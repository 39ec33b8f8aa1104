import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { answerTo, farmAs, owner, serve, showConsole } from '../../test-console';
import type { Check } from './queries';

// A form is typed letter by letter, on a busy machine slowly.
vi.setConfig({ testTimeout: 60_000 });
afterEach(forgetSession);

const base = '/api/farms/demo-farm-1';
const at = `${base}/derived-sensors`;
const READ = Date.parse('2020-11-21T06:30:00Z');
const scope = { type: 'polyhouse', polyhouseId: 'p1' };
const sensor = (id: string, name: string, type: string, latestValue: number | null) => ({
  id,
  name,
  type,
  unit: '',
  latestValue,
  at: READ,
  scope,
  staleAfterSec: 300,
  controller: null,
});
const sensors = [
  sensor('t1', 'Air, north', 'temperature', 31.5),
  sensor('rh', 'Air humidity', 'humidity', 60),
  sensor('derived-d1', 'VPD of the capsicum', 'vapour_pressure_deficit', 1.85),
];
const vpd = {
  id: 'd1',
  sensorId: 'derived-d1',
  name: 'VPD of the capsicum',
  kind: 'vpd',
  type: 'vapour_pressure_deficit',
  unit: 'kPa',
  scope,
  inputs: { humidity: { sensor: 'rh' } },
  constants: {},
  formula: null,
  intervalSec: null,
  value: 1.8,
  at: READ,
  etag: 'v1',
};
const house = {
  id: 'p1',
  name: 'Capsicum house',
  zonesCount: 0,
  capacity: null,
  isActive: true,
  zones: [],
};
const good: Check = {
  value: 1.85,
  unit: 'kPa',
  later: false,
  inputs: [{ name: 'temperature', value: 31.5, unit: '°C', at: READ }],
  problems: [],
};

async function page(path: string, answers: Parameters<typeof serve>[0] = {}, role = 'OWNER') {
  const server = serve({
    'GET /api/farms': { body: [farmAs(role)] },
    [`GET ${base}/polyhouses`]: { body: [house] },
    [`GET ${base}/latest-telemetry`]: { body: { latest: {}, houses: {}, sensors } },
    [`GET ${base}/devices`]: { body: [] },
    [`GET ${base}/rules`]: { body: [] },
    [`GET ${at}`]: { body: [vpd] },
    [`POST ${at}/check`]: { body: good },
    ...answers,
  });
  const view = showConsole(path, owner);
  await screen.findByRole('heading', { level: 1 });
  const bodies = (call: string) => server.calls.filter((one) => one.call === call).map(({ body }) => body);
  return { ...view, server, bodies };
}

it('lists each with its value, and what it is made of', async () => {
  await page('/polyhouses/derived?open=d1', {}, 'VIEWER');
  const card = (await screen.findByRole('heading', { level: 2, name: vpd.name })).closest(
    'li',
  ) as HTMLElement;
  // By its sensor, which live messages keep fresh.
  expect(await within(card).findByText('1.85 kPa')).toBeDefined();
  expect(within(card).getByText('From Temperature and Air humidity')).toBeDefined();
  const input = within(card).getByRole('link', { name: /Air humidity/ });
  expect(input.getAttribute('href')).toBe('/history?type=humidity&polyhouse=p1');
  expect(card.dataset['sought']).toBe('true');
  expect(screen.queryByRole('button', { name: 'Add derived sensor' })).toBeNull();
});

it('adds one with a tap for what it should tell, and shows what it would say', async () => {
  const { person, bodies } = await page('/polyhouses/derived', {
    [`POST ${at}`]: { status: 201, body: vpd },
  });
  await person.click(await screen.findByRole('button', { name: 'Add derived sensor' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add derived sensor' }));
  expect(await dialog.findByText('Now: 1.85 kPa')).toBeDefined();
  await person.selectOptions(dialog.getByLabelText('What should it tell?'), 'leaf_vpd');
  const offset = dialog.getByLabelText(/^Leaf warmer than the air/);
  await person.clear(offset);
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  expect(dialog.getByText('A number is needed')).toBeDefined();
  await person.type(offset, '-3');
  await person.selectOptions(dialog.getByLabelText('Temperature'), 'sensor:t1');
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(bodies(`POST ${at}`)).toEqual([
      {
        name: 'Vapour pressure deficit (VPD), Capsicum house',
        kind: 'leaf_vpd',
        scope,
        inputs: { temperature: { sensor: 't1' } },
        constants: { leaf_offset: -3 },
        intervalSec: 10,
      },
    ]),
  );
});

it('says under a formula what is wrong with it, and where', async () => {
  const wrong: Check = {
    ...good,
    value: null,
    inputs: [],
    problems: [{ path: 'formula', code: 'formula', message: 'Variable not found: x', line: 1, column: 5 }],
  };
  const { person, server, bodies } = await page('/polyhouses/derived?new');
  const dialog = within(await screen.findByRole('dialog', { name: 'Add derived sensor' }));
  await person.selectOptions(dialog.getByLabelText('What should it tell?'), 'formula');
  await person.click(dialog.getByRole('button', { name: 'Degrees until dew' }));
  await waitFor(() =>
    expect(bodies(`POST ${at}/check`)).toContainEqual({
      name: 'Temperature, Capsicum house',
      kind: 'formula',
      scope,
      inputs: { t: { scope, type: 'temperature' }, rh: { scope, type: 'humidity' } },
      constants: {},
      intervalSec: 10,
      formula: 't - dew_point(t, rh)',
      type: 'number',
    }),
  );
  server.table[`POST ${at}/check`] = { body: wrong };
  await person.clear(dialog.getByLabelText('Formula'));
  await person.type(dialog.getByLabelText('Formula'), 't + x');
  const mistake = await dialog.findByText('Line 1, character 5: Variable not found: x');
  expect(mistake.parentElement?.querySelector('pre')?.textContent).toBe('t + x\n    ^');
});

it('says what depends on one that is to be deleted', async () => {
  const { person } = await page('/polyhouses/derived', {
    [`DELETE ${at}/d1`]: {
      status: 409,
      body: {
        error: 'This cannot be deleted: something refers to it.',
        code: 'in_use',
        problems: [{ path: 'rules.r1', code: 'in_use', message: 'Rule: Fog in dry air' }],
      },
    },
  });
  await person.click(await screen.findByRole('button', { name: `Delete ${vpd.name}` }));
  await answerTo(person, /^Delete VPD of the capsicum/, 'Delete');
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toBe('This cannot be deleted: something refers to it. · Rule: Fog in dry air');
});

it('is marked among the sensors of its place, and edited where it is made', async () => {
  const { person, router } = await page('/polyhouses?open=p1');
  const mark = await screen.findByRole('link', { name: 'Derived: what VPD of the capsicum is made of' });
  expect(mark.getAttribute('href')).toBe('/polyhouses/derived?open=d1');
  expect(mark.closest('[data-sensor]')?.getAttribute('data-sensor')).toBe('derived-d1');
  await person.click(screen.getByRole('button', { name: `Edit ${vpd.name}` }));
  expect(await screen.findByRole('dialog', { name: 'Edit derived sensor' })).toBeDefined();
  expect(router.state.location.search).toBe('?edit=d1');
});
