// The card of each house: the worst first, never better than what is known.
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import type { FarmVerdict } from '../../api/verdict';
import { sideOf } from '../../screen/house';
import { type Answer, owner, serve, showConsole } from '../../test-console';
import { worstFirst } from './houses';

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
const mean = (value: number, wanted: Schemas['Range'] | null = null) => ({
  value,
  unit: '',
  at: NOW,
  wanted,
});

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
    pulse: null,
    last_sent: null,
    max_on_at: null,
    leaseEnd: null,
    max_on_sec: null,
    max_pulse_sec_per_hour: null,
    limits: null,
    limits_state: null,
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

const SINCE = 1_763_700_000_000;
const rule = {
  id: 'r1',
  name: 'Cool house 1',
  scope: scope('1'),
  trigger: { sensor_type: 'temperature', operator: 'gt', value: 32, duration_sec: 10 },
  stop_condition: { sensor_type: 'temperature', operator: 'lt', value: 30.5, duration_sec: 120 },
  actions: [{ device_id: 'Fan 1', command: { action: 'on' }, delay_sec: 0 }],
  status: { phase: 'running', since: SINCE } as object,
};
const sight = (value: number | null) => ({
  place: scope('1'),
  own: true,
  sensors: 2,
  fresh: 2,
  value,
  readAt: NOW,
  holds: false,
});

const fine = {
  [at('verdict')]: {
    body: {
      farm: { verdict: 'danger', reasons: [], more: 0 },
      houses: [house('1', 'well'), house('2', 'danger')],
    } satisfies FarmVerdict,
  },
  [at('latest-telemetry')]: {
    body: telemetry({
      '1': { temperature: mean(29.17, { low: 18, high: 28 }), humidity: mean(64), vpd: mean(1.46) },
    }),
  },
  [at('polyhouses')]: { body: [{ id: '1', name: 'House 1', zones: [{ id: 'z1', name: 'Zone A' }] }] },
  [at('crop-cycles')]: { body: [cycle(18, 28)] },
  [at('rules')]: { body: [rule] },
  [at('conditions')]: { body: [{ rule: 'r1', parts: [], trigger: sight(31.6), stop: sight(31.6) }] },
  [at('devices')]: { body: [device('Fan 1', {}), device('Fan 2', {})] },
} satisfies Record<string, Answer>;

async function cards(answers: Record<string, Answer> = {}) {
  const server = serve({ ...fine, ...answers });
  const view = showConsole('/dashboard', owner);
  await waitFor(() => expect(view.container.querySelector('[data-house]')).not.toBeNull());
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

  it('frame what is not as it should be, and group the rest quietly', async () => {
    const told = telemetry({
      '1': {
        temperature: mean(25),
        humidity: mean(64),
        ph: mean(7.4, { low: 5.5, high: 6.5 }),
        ec: mean(1.4, { low: 1, high: 2 }),
        light_intensity: mean(40_000),
      },
    });
    const kinds = ['ph', 'ec', 'light_intensity', 'soil_moisture'] as const;
    const { card } = await cards({
      [at('latest-telemetry')]: {
        body: { ...told, sensors: [...told.sensors, ...kinds.map((kind) => sensor('1', kind, 1))] },
      },
      [at('verdict')]: {
        body: {
          farm: { verdict: 'not_known', reasons: [], more: 0 },
          houses: [
            {
              ...house('1', 'not_known'),
              reasons: [
                {
                  act: 'check_sensor',
                  polyhouseId: '1',
                  since: NOW,
                  verdict: 'not_known',
                  what: { kind: 'no_signal', sensor_type: 'soil_moisture', of: 1, silent: 1, sensors: [] },
                },
              ],
            },
          ],
        } satisfies FarmVerdict,
      },
    });
    const framed = () =>
      [...card('1').querySelectorAll('[data-known]')].map(({ textContent }) => textContent);
    await waitFor(() => expect(framed()).toHaveLength(2));
    expect(framed()[0]).toMatch(/^Soil moistureNot knownsince .*\d:\d\d [ap]m$/);
    expect(framed()[1]).toBe('pH7.4Too highTarget 5.5 to 6.5');
    const calm = (title: string) => within(card('1')).getByText(title).nextElementSibling?.textContent;
    expect(calm('Soil and water')).toBe('EC1.4 mS/cmTarget 1 to 2 mS/cm');
    expect(calm('Air and light')).toBe('Light40,000 lux');
  });

  it('tell the vapour pressure deficit once where a sensor has it', async () => {
    const told = telemetry({
      '1': { humidity: mean(64), vpd: mean(1.46), vapour_pressure_deficit: mean(1.38) },
    });
    const sensors = [...told.sensors, sensor('1', 'vapour_pressure_deficit', 1.38)];
    const { card } = await cards({ [at('latest-telemetry')]: { body: { ...told, sensors } } });
    await waitFor(() => expect(card('1').textContent).toContain('1.4 kPa'));
    expect(card('1').textContent.match(/kPa/g)).toHaveLength(1);
  });

  it('follow the live means', async () => {
    const { card, cache } = await cards();
    const houses = { '1': { temperature: mean(25, { low: 18, high: 28 }) } };
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

  it('say what runs and why, and turn only fans that are reported on', async () => {
    const on = { ...device('Fan 1', { on: true }), desired_by: 'r1' };
    const byHand = device('Vent', { type: 'vent', on: true });
    byHand.state.mode = 'manual';
    byHand.state.source = 'Ganesh';
    const answers = [
      on,
      { ...on, id: 'Fan 4', name: 'Fan 4' },
      byHand,
      device('Fan 2', { on: true, online: false }),
      device('Fan 3', { gone: true }),
    ];
    const { card } = await cards({ [at('devices')]: { body: answers } });
    const running = within(card('1')).getByRole('list', { name: 'Devices that run' });
    await waitFor(() =>
      expect([...running.querySelectorAll(':scope > li')].map((li) => li.textContent)).toEqual([
        'Fan 1 and Fan 4 OnTemperature above 32 °C, until below 30.5 °C, now 31.6 °C',
        'Vent OnGanesh',
        '1 device not reporting',
      ]),
    );
    expect(card('1').querySelectorAll('[data-runs]')).toHaveLength(2);
    expect(card('1').querySelectorAll('[data-open]')).toHaveLength(1);
  });

  it('tell the whole of why at one tap', async () => {
    const fired = {
      id: '1',
      ruleId: 'r1',
      timestamp: SINCE,
      details: { kind: 'rule_fired', reading: { sensorType: 'temperature', value: 32.3, sensors: 2 } },
    };
    const weaker = { ...rule, id: 'r2', name: 'Night air', actions: [] };
    const claim = (of: string) => ({ rule: of, priority: 5, at: SINCE, setting: { action: 'on' } });
    const { card, person, server } = await cards({
      [at('devices')]: {
        body: [
          {
            ...device('Fan 1', { on: true }),
            desired_by: 'r1',
            on_since: SINCE,
            claims: [claim('r1'), claim('r2')],
          },
        ],
      },
      [at('rules')]: { body: [rule, weaker] },
      [at('logs')]: { body: { items: [fired] } },
    });
    const button = within(card('1')).getByRole('button', { name: /^Fan 1/ });
    expect(button.getAttribute('aria-expanded')).toBe('false');
    await person.click(button);
    const rows = () =>
      [...card('1').querySelectorAll('[data-why] > div')].map((row) =>
        [...row.children].map(({ textContent }) => textContent?.trim()),
      );
    await waitFor(() => expect(rows()[2]?.[0]).toBe('Reading then'));
    expect(rows().slice(1)).toEqual([
      ['Started when', 'the temperature in House 1 stays above 32 °C for 10 s'],
      ['Reading then', '32.3 °C, average of 2 sensors'],
      ['Stops when', 'the temperature in House 1 stays below 30.5 °C for 2 min'],
      ['Reading now', '31.6 °C, average of 2 sensors'],
      ['Rule', 'Cool house 1'],
      ['Also wanted by', 'Night air'],
    ]);
    expect(rows()[0]?.[0]).toBe('On since');
    const links = within(card('1'));
    expect(links.getByRole('link', { name: 'Cool house 1' }).getAttribute('href')).toBe(
      '/automation/rules?edit=r1',
    );
    expect(links.getByRole('link', { name: 'Control it: Fan 1' }).getAttribute('href')).toBe(
      '/automation/manual?device=Fan%201',
    );
    const asked = server.calls.filter(({ call }) => call === at('logs'));
    expect(asked.map(({ query }) => [query['from'], query['to']])).toEqual([[`${SINCE}`, `${SINCE}`]]);
  });

  it('say what comes next, where a rule already waits for it', async () => {
    const pending = {
      ...rule,
      status: { phase: 'pending', hold_since: NOW, length: 600_000, samples: 2, samples_needed: 2 },
    };
    const { card } = await cards({ [at('rules')]: { body: [pending] } });
    await waitFor(() =>
      expect(card('1').textContent).toMatch(/Cool house 1: at 1?\d:\d\d [ap]m, if it stays so/),
    );
    expect(card('2').textContent).not.toContain('if it stays so');
  });

  it('are not known, and of when, once nothing is heard any more', async () => {
    const { card, server, cache } = await cards();
    server.table[at('verdict')] = 'down';
    server.table[at('latest-telemetry')] = 'down';
    await act(() => cache.invalidateQueries());
    await waitFor(() => expect(card('1').querySelector('[data-old]')).not.toBeNull());
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
  it('is what the server says that the crops want', async () => {
    const { card } = await cards();
    await waitFor(() => expect(card('1').textContent).toContain('Target 18 to 28 °C'));
  });

  it('is none where it says none', async () => {
    const body = telemetry({ '1': { temperature: mean(29.17) } });
    const { card } = await cards({ [at('latest-telemetry')]: { body } });
    await waitFor(() => expect(card('1').textContent).toContain('29'));
    expect(card('1').textContent).not.toContain('Target');
    expect(card('1').textContent).not.toContain('Too high');
  });

  it('has its bounds inside', () => {
    const target = { low: 18, high: 28 };
    expect([17.9, 18, 28, 28.1].map((value) => sideOf(value, target))).toEqual([
      'below',
      undefined,
      undefined,
      'above',
    ]);
    expect(sideOf(99, null)).toBeUndefined();
  });
});
