import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keys } from '../../api/keys';
import { foldTelemetry, type LatestTelemetry } from '../../api/readings';
import { forgetSession } from '../../api/session';
import { type Answer, answerTo, farmAs, owner, serve, showConsole } from '../../test-console';
import { levelOf } from './level';

// A form is typed letter by letter, on a busy machine slowly.
vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const at = '/api/farms/demo-farm-1';
const capsicum = {
  id: 'p1',
  name: 'Capsicum house',
  zonesCount: 2,
  capacity: '2400 plants',
  isActive: true,
  zones: [
    { id: 'z1', name: 'North bay' },
    { id: 'z2', name: 'South bay' },
  ],
};
const tomato = {
  id: 'p2',
  name: 'Tomato house',
  zonesCount: 1,
  capacity: null,
  isActive: true,
  zones: [{ id: 'z3', name: 'Bay' }],
};
const empty = { id: 'p3', name: 'Old house', zonesCount: 0, capacity: null, isActive: false, zones: [] };

const scope = (polyhouseId: string, zoneId?: string) =>
  zoneId ? { type: 'zone', polyhouseId, zoneId } : { type: 'polyhouse', polyhouseId };
const sensor = (
  id: string,
  name: string | null,
  type: string,
  where: object,
  latestValue: number | null,
) => ({
  id,
  name,
  type,
  unit: '',
  latestValue,
  at: Date.parse('2026-11-21T06:30:00Z'),
  scope: where,
  staleAfterSec: 300,
  controller: 'AA',
});
const mean = (value: number, wanted: object | null = null) => ({ value, unit: '', at: 0, wanted });
const telemetry = {
  latest: {},
  houses: { p1: { temperature: mean(31.24, { low: 18, high: 28 }), soil_moisture: mean(37) } },
  sensors: [
    sensor('s1', 'Air', 'temperature', scope('p1'), 31.2),
    sensor('s2', null, 'soil_moisture', scope('p1', 'z1'), null),
    { ...sensor('s3', 'Lost', 'humidity', scope('p1', 'z1'), null), at: null },
    sensor('s4', 'Roof', 'light_intensity', { type: 'farm' }, 40_000),
  ],
};
const fan = {
  id: 'd1',
  name: 'Fan 1',
  type: 'fan',
  supportedActions: [{ action: 'on' }, { action: 'off' }, { action: 'set_speed' }],
  state: {
    on: true,
    value: 80,
    mode: 'manual',
    source: 'user',
    lock: null,
    locks: [],
    manualOverrideUntil: null,
  },
  claims: [],
  rest: { action: 'off' },
  safe: { action: 'off' },
  last_sent: null,
  desired: { action: 'set_speed', value: 80 },
  desired_by: 'rest',
  pulse: null,
  scope: scope('p1', 'z1'),
  online: true,
};

function answers(more: Record<string, Answer> = {}): Record<string, Answer> {
  return {
    [`GET ${at}/polyhouses`]: { body: [capsicum, tomato, empty] },
    [`GET ${at}/latest-telemetry`]: { body: telemetry },
    [`GET ${at}/devices`]: { body: [fan] },
    [`GET ${at}/sensors`]: { body: [] },
    ...more,
  };
}

async function polyhouses(more: Record<string, Answer> = {}, path = '/polyhouses') {
  const server = serve(answers(more));
  const view = showConsole(path, owner);
  await screen.findByRole('heading', { level: 1 });
  await waitFor(() => expect(view.container.querySelector('[aria-busy="true"]')).toBeNull());
  const card = (id: string) =>
    within(view.container.querySelector<HTMLElement>(`[data-polyhouse="${id}"]`) as HTMLElement);
  const sent = (call: string) => server.calls.filter((made) => made.call === call).map(({ body }) => body);
  return { ...view, server, card, sent };
}

describe('polyhouses', () => {
  it('are counted, and shown with zones, capacity and status', async () => {
    const { card } = await polyhouses();
    expect(screen.getByText('2 Active Polyhouses')).toBeDefined();
    for (const text of ['Capsicum house', '2 Zones', '2400 plants', 'North bay', 'South bay'])
      expect(card('p1').getByText(text)).toBeDefined();
    for (const text of ['1 Zone', 'N/A']) expect(card('p2').getByText(text)).toBeDefined();
    for (const text of ['0 Zones', 'N/A', 'Inactive']) expect(card('p3').getByText(text)).toBeDefined();
    expect(card('p1').getByRole('link', { name: 'Polyhouse day' }).getAttribute('href')).toBe(
      '/day?polyhouse=p1',
    );
  });

  it('show what is measured in them now, and what grows in each zone', async () => {
    const cycle = (id: string, zoneId: string, state: string) => ({
      id,
      zoneId,
      state,
      crop: 'Capsicum',
      variety: id,
    });
    const { card, container, server, cache } = await polyhouses({
      [`GET ${at}/crop-cycles`]: {
        body: [
          cycle('Indra', 'z1', 'GROWING'),
          cycle('Bachata', 'z2', 'HARVESTED'),
          cycle('Taj', 'z3', 'GROWING'),
        ],
      },
      [`GET ${at}/devices`]: { body: [fan, { ...fan, id: 'd2', online: false }] },
    });
    const text = (id: string) => container.querySelector(`[data-polyhouse="${id}"]`)?.textContent;
    await waitFor(() => expect(text('p1')).toContain('31.2 °CToo highTarget 18 to 28 °C'));
    expect(text('p1')).toContain('Soil moisture37%');
    // Its sensor is silent: that is not known, as little as what a fan does that cannot be reached.
    expect(text('p1')).toContain('HumidityNot known');
    expect(container.querySelectorAll('[data-polyhouse="p1"] [data-runs]')).toHaveLength(1);
    const zones = within(card('p1').getByRole('list', { name: 'Zones' }));
    await waitFor(() =>
      expect(zones.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
        'North bayCapsicum Indra',
        'South bay',
      ]),
    );
    expect(text('p2')).not.toContain('°C');

    server.table[`GET ${at}/latest-telemetry`] = 'down';
    await act(() => cache.invalidateQueries());
    await waitFor(() => expect(text('p1')).toMatch(/as of \d/));
    expect(container.querySelector('[data-polyhouse="p1"] [data-old]')).not.toBeNull();
  });

  it('say what runs, what starts next by the clock, and how the last day went', async () => {
    // Everything is looked at.
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(readonly seen: (entries: object[]) => void) {}
        observe = () => this.seen([{ isIntersecting: true }]);
        disconnect = () => {};
      },
    );
    const start = Date.parse('2026-11-22T00:30:00Z');
    const points = [21.4, 30.2].map((value, at) => ({ at, mean: value, min: value, max: value, sensors: 1 }));
    const { card, server } = await polyhouses({
      [`GET ${at}/rules`]: {
        body: [
          {
            id: 'r1',
            name: 'Morning drip',
            scope: scope('p1'),
            trigger: {},
            actions: [{ device_id: 'd1', command: { action: 'on' }, delay_sec: 0 }],
            status: { phase: 'idle' },
            next_start: start,
          },
        ],
      },
      [`GET ${at}/history`]: {
        body: { from: 0, to: 10, stepSec: 300, quantities: [{ type: 'temperature', points }] },
      },
    });
    const runs = within(await card('p1').findByRole('list', { name: 'Devices that run' }));
    await waitFor(() =>
      expect(runs.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
        'Fan 1 80%user',
        'Morning drip: starts at 22 Nov, 6:00 am',
      ]),
    );
    const day = card('p1').getByRole('link', { name: /^History of Capsicum house/ });
    await waitFor(() => expect(day.textContent).toContain('Temperature 21.4 °C to 30.2 °C'));
    expect(day.textContent).toContain('Humidity No readings');
    const asked = server.calls.filter(({ call }) => call === `GET ${at}/history`);
    expect(asked.map(({ query }) => query['types'])).toEqual(['temperature,humidity']);
  });

  it('say that nothing is known of what is in them', async () => {
    const { card } = await polyhouses({ [`GET ${at}/latest-telemetry`]: { status: 503, body: {} } });
    await screen.findByText(/The sensors and devices could not be loaded/);
    expect(card('p1').getByText('North bay')).toBeDefined();
  });

  it('say what is wrong with them, without their name again', async () => {
    const reason = {
      verdict: 'not_known',
      act: 'check_controller',
      polyhouseId: 'p1',
      since: null,
      what: { kind: 'controller_offline', controller: 'AA' },
    };
    const house = {
      polyhouseId: 'p1',
      name: 'Capsicum house',
      verdict: 'not_known',
      reasons: [reason],
      more: 0,
    };
    const { card } = await polyhouses({
      [`GET ${at}/verdict`]: {
        body: { farm: { verdict: 'not_known', reasons: [reason], more: 0 }, houses: [house] },
      },
    });
    await waitFor(() => expect(card('p1').getByText('Controller AA has never been reached.')).toBeDefined());
  });

  it('say when there are none, and what could not be loaded', async () => {
    const { server, person } = await polyhouses({
      [`GET ${at}/polyhouses`]: { status: 503, body: { error: 'Not ready' } },
    });
    expect((await screen.findByRole('alert')).textContent).toContain('Not ready');
    server.table[`GET ${at}/polyhouses`] = { body: [] };
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByText('No polyhouses yet. Add the first one.');
    expect(screen.getByText('0 Active Polyhouses')).toBeDefined();
  });

  it('are added, edited and deleted', async () => {
    const { person, sent, card } = await polyhouses({
      [`POST ${at}/polyhouses`]: { status: 201, body: tomato },
      [`PUT ${at}/polyhouses/p1`]: { body: capsicum },
      [`DELETE ${at}/polyhouses/p1`]: {
        status: 409,
        body: { error: '3 sensors stand in it', code: 'in_use' },
      },
    });
    const gone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await person.click(screen.getByRole('button', { name: 'Add polyhouse' }));
    let form = within(await screen.findByRole('dialog', { name: 'Add polyhouse' }));
    await person.click(form.getByRole('button', { name: 'Save' }));
    expect(form.getByText('Name is required')).toBeDefined();
    await person.type(form.getByLabelText(/^Name/), 'Rose house');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await gone();
    expect(sent(`POST ${at}/polyhouses`)).toEqual([{ name: 'Rose house', capacity: null }]);

    await person.click(card('p1').getByRole('button', { name: 'Edit Capsicum house' }));
    form = within(await screen.findByRole('dialog', { name: 'Edit polyhouse' }));
    await person.click(form.getByRole('switch', { name: 'In use' }));
    await person.click(form.getByRole('button', { name: 'Save' }));
    await gone();
    expect(sent(`PUT ${at}/polyhouses/p1`)).toEqual([
      { name: 'Capsicum house', capacity: '2400 plants', isActive: false },
    ]);

    await person.click(card('p1').getByRole('button', { name: 'Delete Capsicum house' }));
    await answerTo(person, 'Are you sure you want to delete this polyhouse?', 'Delete');
    expect((await screen.findByRole('alert')).textContent).toBe('3 sensors stand in it');
  });
});

describe('a polyhouse opened', () => {
  const panel = (name: string) => within(screen.getByRole('region', { name }));

  it('shows what stands where, and what it says', async () => {
    const { person } = await polyhouses();
    await person.click(screen.getByRole('link', { name: 'Capsicum house' }));
    await screen.findByRole('heading', { level: 1, name: 'Capsicum house' });
    await screen.findByText('31.2 °C');
    expect(panel('In the whole polyhouse').getByText('Air')).toBeDefined();
    const north = panel('North bay');
    // Without a name of its own it is called what it measures.
    expect(north.getAllByText('Soil moisture')).toHaveLength(2);
    expect(north.getByText('No reading since')).toBeDefined();
    expect(north.getByText('No reading yet')).toBeDefined();
    expect(north.getByText('80%')).toBeDefined();
    expect(north.getByText('Manual')).toBeDefined();
    expect(north.getByRole('link', { name: 'Fan 1' }).getAttribute('href')).toBe(
      '/automation/manual?device=d1',
    );
    expect(panel('South bay').getByText('No sensors or devices here.')).toBeDefined();
  });

  it('says since when it knows of a device that cannot be reached, and nothing of one never heard', async () => {
    const state = { on: true, value: 100, mode: 'auto', source: null, lock: null };
    const lost = { ...fan, name: 'Lost pump', type: 'pump', supportedActions: [], state, online: false };
    await polyhouses(
      {
        [`GET ${at}/devices`]: {
          body: [
            { ...lost, id: 'd2', lastUpdated: Date.parse('2026-11-18T10:37:00Z') },
            { ...lost, id: 'd3', name: 'New pump', state: { ...state, on: null }, lastUpdated: null },
          ],
        },
      },
      '/polyhouses?open=p1',
    );
    const thing = (name: string) =>
      within(screen.getByRole('link', { name }).closest<HTMLElement>('[data-device]') as HTMLElement);
    await screen.findByText('Lost pump');
    expect(thing('Lost pump').getByText('On')).toBeDefined();
    expect(thing('Lost pump').getByText(/^Last known state, 18 Nov 2026, 4:07.pm$/)).toBeDefined();
    expect(thing('New pump').getByText('Not reported yet')).toBeDefined();
    expect(thing('New pump').queryByText('Off')).toBeNull();
  });

  it('follows live telemetry', async () => {
    const { cache } = await polyhouses({}, '/polyhouses?open=p1');
    await screen.findByText('31.2 °C');
    act(() => {
      cache.setQueryData<LatestTelemetry>(
        keys.latestTelemetry('demo-farm-1'),
        (known) =>
          known &&
          foldTelemetry(known, {
            sensors: [
              {
                id: 's1',
                type: 'temperature',
                unit: '°C',
                latestValue: 33.5,
                at: Date.parse('2026-11-21T06:31:00Z'),
              },
            ],
          }),
      );
    });
    await screen.findByText('33.5 °C');
  });

  it('has its zones added, renamed and removed', async () => {
    const { person, sent } = await polyhouses(
      {
        [`POST ${at}/polyhouses/p1/zones`]: { status: 201, body: {} },
        [`PUT ${at}/polyhouses/p1/zones/z2`]: { body: {} },
        [`DELETE ${at}/polyhouses/p1/zones/z2`]: { status: 204 },
      },
      '/polyhouses?open=p1',
    );
    await person.click(screen.getByRole('button', { name: 'Add zone' }));
    const add = within(await screen.findByRole('dialog', { name: 'Add zone' }));
    await person.type(add.getByLabelText(/^Name/), 'West bay');
    await person.click(add.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent(`POST ${at}/polyhouses/p1/zones`)).toEqual([{ name: 'West bay' }]));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await person.click(panel('South bay').getByRole('button', { name: 'Edit South bay' }));
    const rename = within(await screen.findByRole('dialog', { name: 'Rename zone' }));
    await person.type(rename.getByLabelText(/^Name/), ' 2');
    await person.click(rename.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent(`PUT ${at}/polyhouses/p1/zones/z2`)).toEqual([{ name: 'South bay 2' }]));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await person.click(panel('South bay').getByRole('button', { name: 'Delete South bay' }));
    await answerTo(person, 'Are you sure you want to delete this zone?', 'Delete');
    await waitFor(() => expect(sent(`DELETE ${at}/polyhouses/p1/zones/z2`)).toHaveLength(1));
  });

  it('has its sensors and devices renamed and moved', async () => {
    const { person, sent } = await polyhouses(
      { [`PATCH ${at}/sensors/s1`]: { body: {} }, [`PATCH ${at}/devices/d1`]: { body: {} } },
      '/polyhouses?open=p1',
    );
    await person.click(await screen.findByRole('button', { name: 'Edit Air' }));
    let form = within(await screen.findByRole('dialog', { name: 'Edit sensor' }));
    expect(
      within(form.getByLabelText('Place'))
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual([
      'Whole farm',
      'Capsicum house',
      'Capsicum house / North bay',
      'Capsicum house / South bay',
      'Tomato house',
      'Tomato house / Bay',
      'Old house',
    ]);
    await person.selectOptions(form.getByLabelText('Place'), 'Tomato house / Bay');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent(`PATCH ${at}/sensors/s1`)).toEqual([
        { scope: { type: 'zone', polyhouseId: 'p2', zoneId: 'z3' } },
      ]),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await person.click(screen.getByRole('button', { name: 'Edit Fan 1' }));
    form = within(await screen.findByRole('dialog', { name: 'Edit device' }));
    await person.type(form.getByLabelText(/^Name/), '0');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent(`PATCH ${at}/devices/d1`)).toEqual([{ name: 'Fan 10' }]));
  });

  it('shows what belongs to no polyhouse too', async () => {
    const { person } = await polyhouses();
    await person.click(await screen.findByRole('link', { name: 'Whole farm' }));
    await screen.findByText('40,000 lux');
    expect(screen.queryByText('31.2 °C')).toBeNull();
  });

  it('says when it does not exist any more', async () => {
    await polyhouses({}, '/polyhouses?open=p9');
    await screen.findByText('This polyhouse no longer exists.');
  });
});

const tank = {
  id: 'r1',
  name: 'Tank A',
  levelPercent: 49.96,
  currentLevel: 999.2,
  capacity: 2000,
  lastRefill: Date.parse('2026-11-20T06:30:00Z'),
};

async function reservoirs(more: Record<string, Answer> = {}) {
  const server = serve({
    [`GET ${at}/reservoirs`]: {
      body: [
        tank,
        { ...tank, id: 'r2', name: 'Tank B', levelPercent: 12, currentLevel: 180, capacity: 1500 },
        { id: 'r3', name: 'Pond', levelPercent: null, currentLevel: null, capacity: null, lastRefill: null },
        { ...tank, id: 'r4', name: 'Tank C', levelPercent: 50, currentLevel: null },
      ],
    },
    ...more,
  });
  const view = showConsole('/reservoirs', owner);
  await waitFor(() => expect(view.container.querySelector('[data-reservoir]')).not.toBeNull());
  const card = (id: string) =>
    within(view.container.querySelector<HTMLElement>(`[data-reservoir="${id}"]`) as HTMLElement);
  const sent = (call: string) => server.calls.filter((made) => made.call === call).map(({ body }) => body);
  return { ...view, server, card, sent };
}

describe('reservoirs', () => {
  it('show how full they are, in litres and by a bar', async () => {
    const { card, container } = await reservoirs();
    expect(screen.getByText('4 Reservoirs')).toBeDefined();
    for (const text of ['Tank A', '50%', '999 / 2,000 L', '20 Nov 2026', 'Getting low'])
      expect(card('r1').getByText(text)).toBeDefined();
    expect(card('r1').getByRole('progressbar', { name: 'Tank A' }).getAttribute('aria-valuetext')).toBe(
      '50%, Getting low',
    );
    for (const text of ['12%', '180 / 1,500 L', 'Nearly empty'])
      expect(card('r2').getByText(text)).toBeDefined();
    expect(card('r3').getAllByText('N/A')).toHaveLength(2);
    expect(card('r3').getByText('No reading')).toBeDefined();
    expect(card('r4').getByText('– / 2,000 L')).toBeDefined();
    const tones = [...container.querySelectorAll('[data-tone][style]')].map((bar) =>
      bar.getAttribute('data-tone'),
    );
    expect(tones).toEqual(['warn', 'bad', 'good']);
  });

  it('are not known once the server gives them no more', async () => {
    const { card, container, server, cache } = await reservoirs();
    server.table[`GET ${at}/reservoirs`] = 'down';
    await act(() => cache.invalidateQueries({ queryKey: keys.reservoirs('demo-farm-1') }));
    await waitFor(() => expect(card('r4').getByText(/^as of \d/)).toBeDefined());
    expect(card('r4').queryByText('Enough')).toBeNull();
    expect(card('r3').getByText('No reading')).toBeDefined();
    const tones = [...container.querySelectorAll('[data-tone][style]')].map((bar) =>
      bar.getAttribute('data-tone'),
    );
    expect(tones).toEqual(['warn', 'bad', 'quiet']);
  });

  it.each([
    [100, 'enough'],
    [50, 'enough'],
    [49.99, 'falling'],
    [20, 'falling'],
    [19.99, 'low'],
    [0, 'low'],
    [null, 'unknown'],
  ] as const)('%d percent is %s', (percent, level) => {
    expect(levelOf(percent)).toBe(level);
  });

  it('are added, edited and deleted', async () => {
    const { person, sent, card } = await reservoirs({
      [`POST ${at}/reservoirs`]: { status: 201, body: tank },
      [`PUT ${at}/reservoirs/r1`]: { body: tank },
      [`DELETE ${at}/reservoirs/r1`]: { status: 204 },
    });
    const gone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await person.click(screen.getByRole('button', { name: 'Add reservoir' }));
    let form = within(await screen.findByRole('dialog', { name: 'Add reservoir' }));
    await person.type(form.getByLabelText(/^Name/), 'Well tank');
    await person.type(form.getByLabelText('Capacity in litres'), '0');
    await person.click(form.getByRole('button', { name: 'Save' }));
    expect(form.getByText('Must be more than 0 litres')).toBeDefined();
    await person.clear(form.getByLabelText('Capacity in litres'));
    await person.type(form.getByLabelText('Capacity in litres'), '2500.5');
    fireEvent.change(form.getByLabelText('Last refill'), { target: { value: '2026-11-19' } });
    await person.click(form.getByRole('button', { name: 'Save' }));
    await gone();
    expect(sent(`POST ${at}/reservoirs`)).toEqual([
      // The farm's day begins at 18:30 UTC of the day before.
      { name: 'Well tank', capacity: 2500.5, lastRefill: Date.parse('2026-11-18T18:30:00Z') },
    ]);
    await person.click(card('r1').getByRole('button', { name: 'Edit Tank A' }));
    form = within(await screen.findByRole('dialog', { name: 'Edit reservoir' }));
    await person.type(form.getByLabelText(/^Name/), '1');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await gone();
    // An untouched day keeps its hour.
    expect(sent(`PUT ${at}/reservoirs/r1`)).toEqual([
      { name: 'Tank A1', capacity: 2000, lastRefill: tank.lastRefill },
    ]);
    await person.click(card('r1').getByRole('button', { name: 'Delete Tank A' }));
    await answerTo(person, 'Are you sure you want to delete this reservoir?', 'Delete');
    await waitFor(() => expect(sent(`DELETE ${at}/reservoirs/r1`)).toHaveLength(1));
  });
});

it.each(['FARM_MANAGER', 'VIEWER'] as const)('shows %s no control that would be refused', async (role) => {
  const only = { 'GET /api/farms': { body: [farmAs(role)] } };
  const { unmount } = await polyhouses(only);
  const controls = () => within(screen.getByRole('main')).queryByRole('button', { name: /Add|Edit|Delete/ });
  expect(controls()).toBeNull();
  unmount();
  const opened = await polyhouses(only, '/polyhouses?open=p1');
  await screen.findByText('31.2 °C');
  expect(controls()).toBeNull();
  opened.unmount();
  await reservoirs(only);
  expect(controls()).toBeNull();
});
