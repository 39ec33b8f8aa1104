// The card of each house: the worst first, never better than what is known.
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import type { FarmVerdict } from '../../api/verdict';
import { type Answer, owner, serve, showConsole } from '../../test-console';
import { sideOf, worstFirst } from './houses';

type Schemas = components['schemas'];
const at = (name: string) => `GET /api/farms/demo-farm-1/${name}`;
const NOW = 1_763_706_600_000;

const scope = (polyhouseId: string): Schemas['Scope'] => ({ type: 'polyhouse', polyhouseId });
const house = (polyhouseId: string, verdict: Schemas['Verdict']): FarmVerdict['houses'][number] => ({
  polyhouseId,
  name: `House ${polyhouseId}`,
  verdict,
  reasons: [],
  more: 0,
});
const sensor = (
  polyhouseId: string,
  type: Schemas['SensorType'],
  latestValue: number | null,
): Schemas['Sensor'] => ({
  id: `${polyhouseId}-${type}`,
  name: null,
  type,
  unit: '',
  controller: null,
  scope: scope(polyhouseId),
  latestValue,
  at: latestValue === null ? null : NOW,
  staleAfterSec: 180,
});
const mean = (value: number) => ({ value, unit: '', at: NOW });

const device = (
  id: string,
  change: Partial<Schemas['Device']> & { on?: boolean | null },
): Schemas['Device'] => {
  const { on = false, ...other } = change;
  return {
    id,
    name: id,
    type: 'fan',
    controller: 'b827eb00c0d1',
    scope: scope('1'),
    online: true,
    gone: false,
    etag: '"1"',
    lastUpdated: NOW,
    supportedActions: [{ action: 'on' }, { action: 'off' }] as Schemas['SupportedAction'][],
    state: {
      on,
      value: null,
      mode: 'auto',
      source: 'rules',
      lock: null,
      locks: [],
      manualOverrideUntil: null,
      safety: false,
    },
    claims: [],
    desired: { action: 'off' } as Schemas['Order'],
    desired_by: 'rest',
    last_sent: null,
    max_on_at: null,
    max_on_sec: null,
    max_pulse_sec_per_hour: null,
    on_since: null,
    rest: { action: 'off' } as Schemas['Order'],
    safe: { action: 'off' } as Schemas['Order'],
    ...other,
  };
};

const cycle = (
  min: number,
  max: number,
  state: Schemas['CropCycleState'] = 'GROWING',
): Schemas['CropCycle'] => ({
  id: `${min}-${max}`,
  crop: 'Capsicum',
  variety: 'Indra',
  zone: 'House 1, Zone A',
  zoneId: 'z1',
  state,
  stage: { name: 'Flowering', day: 3, days: 30, setpoints: [{ sensorType: 'temperature', min, max }] },
  stages: [],
  sownOn: '2026-09-01',
  transplantedOn: null,
  endedOn: null,
  expectedHarvestOn: null,
  expectedYieldKg: null,
  expectedPricePaise: null,
  harvestedKg: 0,
  plants: null,
  note: null,
  etag: '"1"',
});

const telemetry = (houses: Schemas['LatestTelemetry']['houses']): Schemas['LatestTelemetry'] => ({
  latest: {},
  houses,
  sensors: [
    sensor('1', 'temperature', houses['1']?.['temperature']?.value ?? null),
    sensor('1', 'humidity', houses['1']?.['humidity']?.value ?? null),
  ],
});

const fine = {
  [at('verdict')]: {
    body: {
      farm: { verdict: 'danger', reasons: [], more: 0 },
      houses: [house('1', 'well'), house('2', 'danger')],
    } satisfies FarmVerdict,
  },
  [at('latest-telemetry')]: {
    body: telemetry({ '1': { temperature: mean(29.17), humidity: mean(64), vpd: mean(1.46) } }),
  },
  [at('polyhouses')]: { body: [{ id: '1', name: 'House 1', zones: [{ id: 'z1', name: 'Zone A' }] }] },
  [at('crop-cycles')]: { body: [cycle(18, 28)] },
  [at('rules')]: { body: [{ id: 'r1', name: 'Cool house 1' }] },
  [at('devices')]: { body: [device('Fan 1', {}), device('Fan 2', {})] },
} satisfies Record<string, Answer>;

async function cards(answers: Record<string, Answer> = {}) {
  const server = serve({ ...fine, ...answers });
  const view = showConsole('/dashboard', owner);
  await waitFor(() => expect(view.container.querySelector('[data-house]')).not.toBeNull(), {
    timeout: 8_000,
  });
  const card = (id: string) => {
    const found = view.container.querySelector<HTMLElement>(`[data-house="${id}"]`);
    if (!found) throw new Error(`no card of ${id}`);
    return found;
  };
  return { ...view, server, card };
}

describe('the houses', () => {
  it('stand the worst first', async () => {
    const { container } = await cards();
    const ids = [...container.querySelectorAll<HTMLElement>('[data-house]')].map(
      ({ dataset }) => dataset['house'],
    );
    expect(ids).toEqual(['2', '1']);
    expect(
      worstFirst([house('a', 'well'), house('b', 'not_known'), house('c', 'well')]).map((h) => h.polyhouseId),
    ).toEqual(['b', 'a', 'c']);
  });

  it('show what is measured, against what their crops want', async () => {
    const { card } = await cards();
    const text = () => card('1').textContent;
    await waitFor(() => expect(text()).toContain('Capsicum Indra'));
    expect(text()).toContain('29.2 °CToo high');
    expect(text()).toContain('Target 18 to 28 °C');
    expect(text()).toContain('Humidity64%');
    expect(text()).toContain('VPD1.46 kPa');
    expect(text()).toContain('Everything is off');
    expect(card('2').textContent).not.toContain('°C');
  });

  it('follow the live means', async () => {
    const { card, cache } = await cards();
    const houses = { '1': { temperature: mean(25) } };
    act(() => {
      cache.setQueryData<Schemas['LatestTelemetry']>(
        keys.latestTelemetry('demo-farm-1'),
        (known) => known && { ...known, houses },
      );
    });
    await waitFor(() => expect(card('1').textContent).toContain('25 °C'));
    expect(card('1').textContent).not.toContain('Too high');
  });

  it('are hatched and not known where their sensors are silent', async () => {
    const { card } = await cards({ [at('latest-telemetry')]: { body: telemetry({}) } });
    expect(within(card('1')).getAllByText('Not known')).toHaveLength(2);
    expect(card('1').querySelector('[data-heat]')).toBeNull();
    expect(card('1').querySelector('rect[fill^="url("]')).not.toBeNull();
    expect(card('2').querySelector('rect[fill^="url("]')).toBeNull();
  });

  it('say what runs and who has it, and turn only fans that are reported on', async () => {
    const on = { ...device('Fan 1', { on: true }), desired_by: 'r1' };
    const byHand = device('Vent', { type: 'vent', on: true });
    byHand.state.mode = 'manual';
    byHand.state.source = 'Ganesh';
    const answers = [
      on,
      byHand,
      device('Fan 2', { on: true, online: false }),
      device('Fan 3', { gone: true }),
    ];
    const { card } = await cards({ [at('devices')]: { body: answers } });
    const running = within(card('1')).getByRole('list', { name: 'Devices that run' });
    await waitFor(() =>
      expect([...running.querySelectorAll('li')].map((li) => li.textContent)).toEqual([
        'Fan 1 OnRule: Cool house 1',
        'Vent OnGanesh',
        '1 device not reporting',
      ]),
    );
    expect(
      within(running)
        .getByRole('link', { name: /^Fan 1/ })
        .getAttribute('href'),
    ).toBe('/automation/manual?device=Fan%201');
    expect(card('1').querySelectorAll('[data-runs]')).toHaveLength(1);
    expect(card('1').querySelectorAll('[data-open]')).toHaveLength(1);
  });

  it('are not known, and of when, once nothing is heard any more', async () => {
    const { card, server, cache } = await cards();
    server.table[at('verdict')] = 'down';
    server.table[at('latest-telemetry')] = 'down';
    await act(() => cache.invalidateQueries());
    await waitFor(() => expect(card('1').querySelector('[data-old]')).not.toBeNull(), { timeout: 8_000 });
    expect(card('1').querySelector('[data-verdict]')?.getAttribute('data-verdict')).toBe('not_known');
    expect(card('1').textContent).toMatch(/as of \d/);
  });

  it('say that the devices could not be loaded', async () => {
    const { card } = await cards({ [at('devices')]: { status: 503, body: { error: 'busy', code: 'x' } } });
    expect(screen.getByText(/devices could not be loaded/i)).toBeDefined();
    expect(card('1').textContent).not.toContain('at rest');
    expect(card('1').textContent).not.toMatch(/as of/);
  });
});

describe('a target', () => {
  it('is what all crops of a house want at once', async () => {
    const both = [cycle(18, 28), cycle(20, 30), cycle(1, 2, 'ENDED')];
    const { card } = await cards({ [at('crop-cycles')]: { body: both } });
    await waitFor(() => expect(card('1').textContent).toContain('Target 20 to 28 °C'));
  });

  it('is none where they want what excludes each other', async () => {
    const { card } = await cards({ [at('crop-cycles')]: { body: [cycle(10, 15), cycle(20, 30)] } });
    await waitFor(() => expect(card('1').textContent).toContain('Capsicum Indra'));
    expect(card('1').textContent).not.toContain('Target');
  });

  it('has its bounds inside', () => {
    const target = { low: 18, high: 28 };
    expect([17.9, 18, 28, 28.1].map((value) => sideOf(value, target))).toEqual([
      'below',
      undefined,
      undefined,
      'above',
    ]);
    expect(sideOf(99, undefined)).toBeUndefined();
  });
});
