import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { forgetSession } from '../../api/session';
import type { Place } from '../../i18n/domain';
import { isWithin, limitsOf, type Rule, together } from '../../screen/place';
import { type Answer, farmAs, owner, serve, showConsole } from '../../test-console';
import { named, sumOf } from './series';
import { asSpan, looks, windowAt } from './span';

afterEach(forgetSession);

const houses = [
  { id: 'p1', name: 'Polyhouse 1', zones: [{ id: 'z1', name: 'Zone A' }] },
  { id: 'p2', name: 'Polyhouse 2', zones: [] },
];
const farmPlace = { type: 'farm' as const };
const p1 = { type: 'polyhouse' as const, polyhouseId: 'p1' };
const p2 = { type: 'polyhouse' as const, polyhouseId: 'p2' };
const z1 = { type: 'zone' as const, polyhouseId: 'p1', zoneId: 'z1' };

/** What the engine says of where a rule looks: that of the zone has its house's sensors. */
const looksAt = (rule: string, trigger: Place, stop: Place | null = null) => ({
  rule,
  trigger: { place: trigger },
  stop: stop && { place: stop },
});

const rule = (name: string, fields: Partial<Rule>): Rule => ({
  etag: 'v1',
  id: name,
  name,
  description: '',
  mode: 'auto',
  priority: 5,
  scope: p1,
  trigger: { sensor_type: 'temperature', operator: 'gt', value: 32, duration_sec: 300 },
  actions: [],
  on_signal_lost: 'stop',
  deployed: true,
  status: { phase: 'idle' },
  ...fields,
});

describe('a place', () => {
  it('contains what lies in it', () => {
    expect(isWithin(z1, p1, houses)).toBe(true);
    expect(isWithin({ type: 'zone', zoneId: 'z1' }, p1, houses)).toBe(true);
    expect(isWithin(z1, p2, houses)).toBe(false);
    expect(isWithin(p1, z1, houses)).toBe(false);
    expect(isWithin(p1, farmPlace, houses)).toBe(true);
    expect(isWithin(farmPlace, p1, houses)).toBe(false);
  });

  it('names a value once where one rule starts and another stops', () => {
    const limit = (operator: 'gt' | 'lt', starts: boolean, name: string) => ({
      value: 65,
      operator,
      starts,
      rule: name,
    });
    expect(together([limit('lt', false, 'Dry house 1'), limit('gt', true, 'Dry house 2')])).toEqual([
      {
        value: 65,
        meanings: [
          { operator: 'gt', starts: true, rules: ['Dry house 2'] },
          { operator: 'lt', starts: false, rules: ['Dry house 1'] },
        ],
      },
    ]);
  });

  it('has the limits of the active rules that look at it', () => {
    const rules = [
      rule('Cool', {
        stop_condition: { sensor_type: 'temperature', operator: 'lt', value: 29, duration_sec: 60 },
      }),
      rule('Draft', { deployed: false }),
      rule('Off', { mode: 'disabled' }),
      // In a zone without a thermometer: it goes by that of its polyhouse.
      rule('Mist', { scope: z1 }),
      rule('Other house', { scope: p2 }),
      rule('Mild', {
        trigger: {
          sensor_type: 'temperature',
          operator: 'between',
          value: 18,
          value_max: 24,
          duration_sec: 1,
        },
      }),
    ];
    const seen = [
      looksAt('Cool', p1, p1),
      ...['Draft', 'Off', 'Mist', 'Mild'].map((name) => looksAt(name, p1)),
      looksAt('Other house', p2),
    ];
    expect(together(limitsOf(rules, seen, 'temperature', p1, houses))).toEqual([
      { value: 32, meanings: [{ operator: 'gt', starts: true, rules: ['Cool', 'Mist'] }] },
      { value: 29, meanings: [{ operator: 'lt', starts: false, rules: ['Cool'] }] },
      { value: 24, meanings: [{ operator: 'lte', starts: true, rules: ['Mild'] }] },
      { value: 18, meanings: [{ operator: 'gte', starts: true, rules: ['Mild'] }] },
    ]);
    expect(together(limitsOf(rules, seen, 'temperature', farmPlace, houses))[0]?.meanings[0]?.rules).toEqual([
      'Cool',
      'Mist',
      'Other house',
    ]);
  });
});

it('sums a series up: its mean, its extremes with their times, its gaps', () => {
  const points = [
    { at: 0, mean: 20, min: 19, max: 21 },
    { at: 60_000, mean: 26, min: 21, max: 31 },
    { at: 9 * 60_000, mean: 24, min: 23, max: 25 },
  ];
  expect(sumOf(points, 60_000)).toEqual({
    lowest: { value: 19, at: 0 },
    highest: { value: 31, at: 60_000 },
    gaps: 1,
    longestGapMs: 7 * 60_000,
  });
  expect(sumOf([], 60_000)).toBeUndefined();
});

it('tells sensors of one name apart by numbers', () => {
  const past = (id: string, name: string | null) => ({
    id,
    name,
    count: 0,
    mean: null,
    min: null,
    max: null,
  });
  const all = named([past('a', 'Air'), past('b', null), past('c', 'Air'), past('d', null)], 'CO₂');
  expect(all.map(({ id, name }) => [id, name])).toEqual([
    ['a', 'Air 1'],
    ['b', 'CO₂ 1'],
    ['c', 'Air 2'],
    ['d', 'CO₂ 2'],
  ]);
  expect(named([past('a', 'Air')], 'CO₂')[0]?.name).toBe('Air');
});

it('looks at whole steps', () => {
  expect(asSpan('7d')).toBe('7d');
  expect(asSpan('9d')).toBe('24h');
  const { from, to } = windowAt('24h', 1_795_268_278_779);
  expect([to % looks['24h'].step, to - from]).toEqual([0, looks['24h'].length]);
  expect(to).toBeGreaterThanOrEqual(1_795_268_278_779);
});

describe('/history', () => {
  const base = '/api/farms/demo-farm-1';
  const start = Math.floor(Date.now() / 300_000) * 300_000 - 40 * 300_000;
  const past = (id: string, mean: number | null) => ({
    id,
    name: id,
    count: mean === null ? 0 : 9,
    mean,
    min: mean,
    max: mean,
  });
  const temperature = {
    type: 'temperature',
    unit: '°C',
    scope: p1,
    mean: 28.8,
    points: [0, 1, 2, 20, 21].map((step) => ({
      at: start + step * 300_000,
      sensors: 2,
      mean: 20 + step,
      min: 19 + step,
      max: 21 + step,
    })),
    sensors: [past('t1', 20), past('t2', null)],
  };
  const soil = {
    type: 'soil_moisture',
    unit: '%',
    scope: p1,
    mean: null,
    points: [],
    sensors: [past('s1', null)],
  };
  const measured = (...quantities: object[]) => ({
    from: start,
    to: start + 50 * 300_000,
    stepSec: 300,
    quantities,
    incomplete: false,
  });

  async function page(at: string, answers: Record<string, Answer> = {}) {
    const server = serve({
      [`GET ${base}/polyhouses`]: {
        body: houses.map((house) => ({
          ...house,
          zonesCount: house.zones.length,
          capacity: null,
          isActive: true,
        })),
      },
      [`GET ${base}/rules`]: { body: [rule('Cool', {})] },
      [`GET ${base}/devices`]: { body: [] },
      [`GET ${base}/conditions`]: { body: [{ ...looksAt('Cool', p1), parts: [] }] },
      [`GET ${base}/history`]: { body: measured(temperature, soil) },
      ...answers,
    });
    const view = showConsole(at, owner);
    await screen.findByRole('heading', { level: 1, name: 'History' });
    return { ...view, server };
  }

  it('shows each quantity that is measured in a place, in words and as a table', async () => {
    const { person } = await page('/history?polyhouse=p1');
    const summary = await screen.findByRole('img');
    expect(summary.getAttribute('aria-label')).toMatch(
      /^On average 28\.8 °C; lowest 19 °C \(.*\), highest 42 °C \(.*\)\. 1 gap without readings, 1 h 25 min long\.$/,
    );
    expect(screen.getAllByRole('heading', { level: 2 }).map((h) => h.textContent)).toEqual([
      'Temperature',
      'Soil moisture',
    ]);
    expect(await screen.findByText('No readings in this period.')).toBeDefined();
    expect(screen.getByRole('list', { name: 'Rule thresholds' }).textContent).toBe('> 32 °C starts Cool');
    await person.click(screen.getByText('Show as table'));
    const cells = within(screen.getByRole('table'))
      .getAllByRole('row')
      .map(({ textContent }) => textContent);
    expect(cells.some((text) => text?.includes('No reading'))).toBe(true);
  });

  it('says what the lines mean below the drawing, and opens both tables from one line', async () => {
    await page('/history?polyhouse=p1');
    const drawing = await screen.findByRole('img');
    expect(drawing.nextElementSibling).toBe(screen.getByRole('list', { name: 'Rule thresholds' }));
    const foot = screen.getByText('Show as table').closest('details')?.parentElement;
    expect([...(foot?.querySelectorAll('summary') ?? [])].map(({ textContent }) => textContent)).toEqual([
      'Show as table',
      'Each sensor (2)',
    ]);
  });

  it('leads to a rule about the quantity of the place, who may make one', async () => {
    await page('/history?polyhouse=p1');
    const link = await screen.findByRole('link', { name: 'Make a rule: Temperature' });
    const [at, search] = link.getAttribute('href')?.split('?') ?? [];
    expect(at).toBe('/automation/rules');
    expect(Object.fromEntries(new URLSearchParams(search))).toEqual({
      new: '',
      type: 'temperature',
      scope: 'polyhouse:p1',
    });
  });

  it('leads nobody to a rule who may make none', async () => {
    await page('/history?polyhouse=p1', { 'GET /api/farms': { body: [farmAs('VIEWER')] } });
    await screen.findByRole('heading', { level: 2, name: 'Temperature' });
    expect(screen.queryByRole('link', { name: /Make a rule/ })).toBeNull();
  });

  it('lists what each sensor comes to: the mean hides the one that is silent', async () => {
    const { person } = await page('/history?polyhouse=p1');
    await person.click(await screen.findByText('Each sensor (2)'));
    const each = await screen.findByLabelText('Each sensor (2)');
    expect([...each.querySelectorAll('tbody tr')].map(({ textContent }) => textContent)).toEqual([
      't120 °C20 °C20 °C',
      't2No readingNo readingNo reading',
    ]);
  });

  it('keeps place, quantity and span in the address', async () => {
    const ofFarm = measured({ ...temperature, scope: farmPlace }, { ...soil, scope: farmPlace });
    const { person, router, server } = await page('/history', { [`GET ${base}/history`]: { body: ofFarm } });
    await screen.findAllByRole('img');
    // the zone has no thermometer: the answer has that of its house, and the zone's page does not show it
    server.table[`GET ${base}/history`] = { body: measured(temperature, { ...soil, scope: z1 }) };
    await person.selectOptions(screen.getByLabelText('Place'), 'Polyhouse 1 / Zone A');
    expect(router.state.location.search).toBe('?zone=z1');
    expect(await screen.findByRole('heading', { level: 2, name: 'Soil moisture' })).toBeDefined();
    expect(screen.queryByRole('heading', { level: 2, name: 'Temperature' })).toBeNull();
    await person.click(screen.getByRole('radio', { name: '7 days' }));
    expect(router.state.location.search).toBe('?zone=z1&span=7d');
    server.table[`GET ${base}/history`] = { body: ofFarm };
    await person.selectOptions(screen.getByLabelText('Place'), 'Whole farm');
    await screen.findByRole('option', { name: 'Temperature' });
    await person.selectOptions(screen.getByLabelText('Reading'), 'Temperature');
    expect(router.state.location.search).toBe('?span=7d&type=temperature');
    await waitFor(() => expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(1));
    // One request for each place and span: however many sensors there are, and for one quantity none.
    const asked = server.calls.filter(({ call }) => call === `GET ${base}/history`);
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(server.calls.filter(({ call }) => call.includes('/sensors/'))).toEqual([]);
  });

  it('says what could not be loaded, and loads it again', async () => {
    const { person, server } = await page('/history?polyhouse=p2', {
      [`GET ${base}/history`]: { status: 500, body: {} },
    });
    expect((await screen.findByRole('alert')).textContent).toContain('The history could not be loaded.');
    server.table[`GET ${base}/history`] = { body: measured({ ...temperature, scope: p2 }) };
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('img')).toBeDefined();
  });

  it('tells what a device did and who made it do so', async () => {
    const from = start;
    const minutes = (at: number) => from + at * 60_000;
    await page('/history?device=fan', {
      [`GET ${base}/devices`]: {
        body: [
          {
            id: 'fan',
            name: 'Fan',
            type: 'fan',
            scope: z1,
            state: { mode: 'auto' },
            supportedActions: [{ action: 'on' }, { action: 'set_speed', parameterType: 'percentage' }],
          },
        ],
      },
      [`GET ${base}/history`]: { body: measured(temperature, { ...soil, scope: z1 }) },
      [`GET ${base}/devices/fan/history`]: {
        body: {
          device: 'fan',
          from,
          to: minutes(200),
          reported: true,
          segments: [
            { at: minutes(-5), until: minutes(10), on: true, value: 60, cause: 'rule', by: 'Cool' },
            { at: minutes(10), until: minutes(40), on: false, value: 0, cause: 'rest', by: null },
            // Not reachable until 60.
            { at: minutes(60), until: null, on: true, value: 100, cause: 'manual', by: 'Ravi' },
          ],
        },
      },
    });
    const strip = await screen.findByRole('img', {
      name: 'On 2 times, for 2 h 30 min in all. No data for 20 min of this period.',
    });
    expect(
      [...strip.querySelectorAll('[data-on="true"]')].map((each) => (each as HTMLElement).style.left),
    ).toEqual(['0%', '30%']);
    const rows = within(screen.getAllByRole('table')[0] as HTMLElement).getAllByRole('row');
    expect(
      rows.slice(1).map((row) =>
        within(row)
          .getAllByRole('cell')
          .map(({ textContent }) => textContent),
      ),
    ).toEqual([
      ['2 h 20 min', '100%', 'Ravi'],
      ['15 min', '60%', 'Rule: Cool'],
    ]);
    // What its zone does not measure is looked for around it.
    expect(await screen.findByText('Measured at Polyhouse 1')).toBeDefined();
    expect(screen.getByRole('heading', { level: 2, name: 'Soil moisture' })).toBeDefined();
  });

  it('says on each chart that its latest may be missing', async () => {
    const missing = 'The latest may be missing: the server cannot write the history at present.';
    const state = { mode: 'auto' };
    const fan = {
      id: 'fan',
      name: 'Fan',
      type: 'fan',
      scope: p1,
      state,
      supportedActions: [{ action: 'on' }],
    };
    const did = (incomplete: boolean) => ({
      body: { device: 'fan', from: start, to: start + 1, reported: true, segments: [], incomplete },
    });
    const { server, cache } = await page('/history?device=fan', {
      [`GET ${base}/devices`]: { body: [fan] },
      [`GET ${base}/devices/fan/history`]: did(true),
      [`GET ${base}/history`]: { body: { ...measured(temperature, soil), incomplete: true } },
    });
    const incomplete = () =>
      screen
        .getAllByRole('heading', { level: 2 })
        .filter((heading) => within(heading.closest('section') as HTMLElement).queryByText(missing))
        .map(({ textContent }) => textContent);
    await waitFor(() => expect(incomplete()).toEqual(['Fan', 'Temperature', 'Soil moisture']));
    server.table[`GET ${base}/history`] = { body: measured(temperature, soil) };
    server.table[`GET ${base}/devices/fan/history`] = did(false);
    await cache.invalidateQueries();
    await waitFor(() => expect(incomplete()).toEqual([]));
  });

  it('says when there is nothing to measure with', async () => {
    await page('/history?zone=unknown', { [`GET ${base}/history`]: { body: measured() } });
    expect(await screen.findByText('There is no sensor here.')).toBeDefined();
  });
});
