import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { keys } from '../../api/keys';
import type { LatestTelemetry } from '../../api/readings';
import { changeLanguage } from '../../i18n/i18n';
import {
  type Answer,
  farmAs,
  owner,
  serve,
  showConsole,
  summary,
  telemetry,
  weather,
} from '../../test-console';

const at = (name: string) => `GET /api/farms/demo-farm-1/${name}`;

async function dashboard(answers: Record<string, Answer> = {}) {
  const server = serve(answers);
  const view = showConsole('/dashboard', owner);
  await waitFor(() => expect(view.container.querySelector('[data-tile]')).not.toBeNull());
  const tile = (field: string) => view.container.querySelector<HTMLElement>(`[data-tile="${field}"]`);
  return { ...view, server, tile };
}

describe('tiles', () => {
  it('are eleven, each with its number and its link', async () => {
    const { container, tile } = await dashboard({
      [at('summary')]: {
        body: {
          polyhouses: 2,
          reservoirs: 3,
          zones: 6,
          nurseries: 4,
          inventoryAvailablePercent: 72,
          activeAlerts: 5,
          overdueTasks: 1,
          utilizationPercent: 80,
          expectedHarvestRevenue: 123_456_740,
          inventoryCost: 25_000_000,
          salesRevenue: 0,
        },
      },
    });
    expect(container.querySelectorAll('[data-tile]')).toHaveLength(11);
    const seen = Object.keys(summary).map((field) => [
      field,
      tile(field)?.getAttribute('href'),
      tile(field)?.querySelector('[data-write]')?.textContent,
    ]);
    expect(seen).toEqual([
      ['polyhouses', '/polyhouses', '2'],
      ['reservoirs', '/reservoirs', '3'],
      ['zones', '/polyhouses', '6'],
      ['nurseries', '/nurseries', '4'],
      ['inventoryAvailablePercent', '/inventory', '72%'],
      ['activeAlerts', '/alerts', '5'],
      ['overdueTasks', '/tasks', '1'],
      ['utilizationPercent', '/reports', '80%'],
      ['expectedHarvestRevenue', '/reports', '₹12,34,567'],
      ['inventoryCost', '/inventory', '₹2,50,000'],
      ['salesRevenue', '/reports', '₹0'],
    ]);
  });

  it('are not there where nothing of the kind is written down', async () => {
    const { container, tile } = await dashboard();
    const shown = [...container.querySelectorAll<HTMLElement>('[data-tile]')].map(
      ({ dataset }) => dataset['tile'],
    );
    expect(shown).toEqual(['activeAlerts', 'overdueTasks', 'polyhouses', 'reservoirs', 'zones', 'nurseries']);
    expect(tile('salesRevenue')).toBeNull();
    expect(screen.queryByRole('heading', { name: 'Money' })).toBeNull();
  });

  it('say in a word whether somebody has to look', async () => {
    const { tile } = await dashboard();
    expect(tile('activeAlerts')?.textContent).toBe('Active alarms0');
    expect(tile('overdueTasks')?.textContent).toContain('Late');
  });
});

describe('readings', () => {
  const ph = { value: 5.25, unit: '', at: 2, optimal: null, worst: null };
  const card = (name: string) => within(screen.getByRole('region', { name }));

  it('show value, range, verdict and the worst reservoir', async () => {
    await dashboard();
    const ph = card('pH');
    expect(screen.getByTestId('ph-value').textContent).toBe('6.87');
    expect(ph.getByText('6 – 7')).toBeDefined();
    expect(ph.getByText('In range')).toBeDefined();
    expect(ph.getByText('Tank B: 7.31')).toBeDefined();
    expect(ph.getByText('Too high')).toBeDefined();
    expect(ph.getByRole('link', { name: 'History of pH' }).getAttribute('href')).toBe('/history?type=ph');
    const ec = card('EC');
    expect(ec.getByRole('link', { name: 'History of EC' }).getAttribute('href')).toBe('/history?type=ec');
    expect(screen.getByTestId('ec-value').textContent).toBe('1.62');
    expect(ec.getByText('1 – 1.5 mS/cm')).toBeDefined();
    expect(ec.getByText('1.62 mS/cm')).toBeDefined();
    expect(ec.getByText('Too high')).toBeDefined();
  });

  it('follow live means', async () => {
    const { cache } = await dashboard();
    act(() => {
      cache.setQueryData<LatestTelemetry>(
        keys.latestTelemetry('demo-farm-1'),
        (known) => known && { ...known, latest: { ph: { ...ph, optimal: { low: 6, high: 7 } } } },
      );
    });
    await waitFor(() => expect(screen.getByTestId('ph-value').textContent).toBe('5.25'));
    expect(card('pH').getByText('Too low')).toBeDefined();
  });

  it('are not judged where the crops exclude each other', async () => {
    const { cache } = await dashboard();
    act(() => {
      cache.setQueryData<LatestTelemetry>(
        keys.latestTelemetry('demo-farm-1'),
        (known) => known && { ...known, latest: { ph } },
      );
    });
    await waitFor(() => expect(card('pH').getByText('Differs between the crops')).toBeDefined());
    expect(card('pH').queryByText(/too low|in range/i)).toBeNull();
    expect(card('pH').queryByRole('meter')).toBeNull();
  });

  const sensor = (id: string, latestValue: number | null) => ({
    id,
    name: id,
    type: 'ph',
    unit: '',
    latestValue,
    at: 1,
    staleAfterSec: 180,
    scope: { type: 'farm' },
  });
  const bar = () => card('pH').getByRole('meter').querySelector('[data-inside]')?.getAttribute('data-inside');

  it('are not known to be in range while a sensor is silent', async () => {
    const { ph } = telemetry.latest;
    const answer = (value: number, other: number | null) => ({
      body: { latest: { ph: { ...ph, value } }, sensors: [sensor('a', value), sensor('b', other)] },
    });
    const path = at('latest-telemetry');
    const { server, cache } = await dashboard({ [path]: answer(6.87, null) });
    expect(bar()).toBe('unknown');
    expect(card('pH').getByText('1 of 2 sensors are not reporting.')).toBeDefined();
    expect(card('pH').getAllByText('Not known')).toHaveLength(1);
    expect(card('pH').queryByText('In range')).toBeNull();
    // What one sensor says is bad enough.
    server.table[path] = answer(7.4, null);
    await act(() => cache.invalidateQueries({ queryKey: keys.latestTelemetry('demo-farm-1') }));
    await waitFor(() => expect(bar()).toBe('false'));
    server.table[path] = answer(6.87, 6.9);
    await act(() => cache.invalidateQueries({ queryKey: keys.latestTelemetry('demo-farm-1') }));
    await waitFor(() => expect(bar()).toBe('true'));
    expect(card('pH').queryByText(/give no reading/)).toBeNull();
  });

  it('are not known once the server gives none any more', async () => {
    const { server, cache } = await dashboard();
    expect(bar()).toBe('true');
    server.table[at('latest-telemetry')] = 'down';
    await act(() => cache.invalidateQueries({ queryKey: keys.latestTelemetry('demo-farm-1') }));
    await waitFor(() => expect(bar()).toBe('unknown'));
    expect(screen.getByTestId('ph-value').textContent).toBe('6.87');
    expect(card('pH').getByText(/^as of \d/)).toBeDefined();
    expect(card('pH').queryByText('In range')).toBeNull();
  });

  it('show a dash when nothing has reported', async () => {
    await dashboard({ [at('latest-telemetry')]: { body: { sensors: [], latest: {} } } });
    expect(screen.getByTestId('ph-value').textContent).toBe('–');
    expect(card('pH').getByText('No reading')).toBeDefined();
  });
});

describe('weather', () => {
  it('shows the five figures and where they come from', async () => {
    await dashboard();
    const text = screen.getByRole('region', { name: 'Weather' }).textContent;
    for (const part of [
      '31.4 °C',
      'Feels like34.2 °C',
      'Humidity58%',
      'Wind11 km/h',
      'Pressure1,009 hPa',
      'simulated',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('shows dashes and the reason where there is none', async () => {
    const none = { ...weather, current: null, feelsLike: null, humidity: null, wind: null, pressure: null };
    await dashboard({
      [at('weather')]: { body: { ...none, source: 'none', reason: 'The farm has no location' } },
    });
    const text = screen.getByRole('region', { name: 'Weather' }).textContent;
    expect(text?.match(/–/g)).toHaveLength(5);
    expect(text).toContain('The farm has no location');
  });
});

describe('when a call fails', () => {
  it('says which, shows the rest, and tries again', async () => {
    const { server, person, tile } = await dashboard({
      [at('summary')]: { status: 503, body: { error: 'Not ready', code: 'x' } },
    });
    expect(screen.getByRole('alert').textContent).toContain(
      "The farm's figures could not be loaded. Not ready",
    );
    expect(screen.getByTestId('ph-value').textContent).toBe('6.87');
    expect(tile('polyhouses')?.textContent).toBe('Polyhouses–Not available');
    server.table[at('summary')] = { body: summary };
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(tile('polyhouses')?.textContent).toBe('Polyhouses2'));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

it('shows loading until all three have arrived', async () => {
  const { table } = serve();
  let arrive = () => {};
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const answerNow = globalThis.fetch;
  globalThis.fetch = (async (request: Request) => {
    if (request.url.endsWith('/weather')) await held;
    return answerNow(request);
  }) as typeof fetch;
  const { container } = showConsole('/dashboard', owner);
  expect(await screen.findByText('Loading...')).toBeDefined();
  expect(table).toBeDefined();
  expect(container.querySelector('[data-tile]')).toBeNull();
  act(arrive);
  await waitFor(() => expect(container.querySelectorAll('[data-tile]')).toHaveLength(6));
  expect(screen.queryByText('Loading...')).toBeNull();
});

describe('quick actions', () => {
  const all = [
    'Add alert configuration',
    'Add task',
    'Add user',
    'Invite by mobile number',
    'Create rule',
    'Add controller',
  ];
  const names = () =>
    within(screen.getByRole('region', { name: 'Quick actions' }))
      .queryAllByRole('link')
      .map((link) => link.textContent);

  it.each([
    ['OWNER', all],
    ['ADMIN', all],
    ['FARM_MANAGER', ['Add alert configuration', 'Add task', 'Create rule']],
    ['VIEWER', []],
  ] as const)('of %s', async (role, expected) => {
    await dashboard({ 'GET /api/farms': { body: [farmAs(role)] } });
    expect(names()).toEqual(expected);
  });
});

it('changes language in place', async () => {
  const { person } = await dashboard();
  await person.click(screen.getByRole('button', { name: /Switch language to हिन्दी/ }));
  await screen.findByRole('heading', { name: 'डैशबोर्ड' });
  expect(localStorage.getItem('language')).toBe('hi');
  expect(document.documentElement.lang).toBe('hi');
  await person.click(screen.getByRole('button', { name: /भाषा बदलें: मराठी/ }));
  await screen.findByRole('heading', { name: 'डॅशबोर्ड' });
  expect(screen.getByTestId('ph-value').textContent).toBe('६.८७');
  await act(() => changeLanguage('en'));
});
