import { act, fireEvent, renderHook, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { changeLanguage } from '../../i18n/i18n';
import { type Answer, farmAs, owner, serve, showConsole } from '../../test-console';
import { useExampleText, useFoundText } from './found';
import type { FoundHazard } from './queries';
import { doser, draft, fan, houses } from './samples';

vi.setConfig({ testTimeout: 40_000 });

const place = { type: 'farm', farmId: 'f1' } as const;
const thing = (name: string) => ({ id: 'x', name });
const example: FoundHazard['example'] = {
  at: null,
  readings: [{ sensor_type: 'soil_moisture', place, value: 19 }],
  reports: [{ device: thing('१'), on: true }],
};
const advising = { grade: 'advising', example } as const;
const blocking = { grade: 'blocking', example } as const;
const limits = ['hours', 'needs', 'budget', 'min_off', 'starts', 'max_on'] as const;
const all: FoundHazard[] = [
  ...[true, false].map((wins) => ({
    ...advising,
    what: { kind: 'fight' as const, device: thing('१'), rule: thing('२'), wins },
  })),
  ...[true, false].map((own) => ({
    ...advising,
    what: { kind: 'never_wins' as const, device: thing('१'), rule: thing('२'), own },
  })),
  { ...blocking, what: { kind: 'circle', rules: [thing('२')], devices: [thing('१')], starts_per_hour: 40 } },
  { ...advising, what: { kind: 'circle', rules: [], devices: [thing('१')], starts_per_hour: 4 } },
  ...limits.map((limit) => ({ ...advising, what: { kind: 'limited' as const, device: thing('१'), limit } })),
  { ...blocking, what: { kind: 'flood', device: thing('१') } },
  { ...blocking, what: { kind: 'dosing', device: thing('१'), secs: 360 } },
  { ...advising, what: { kind: 'one_sensor', sensor: thing('१'), sensor_type: 'soil_moisture', place } },
];

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
  return act(() => changeLanguage('en'));
});

describe.each(['hi', 'mr'] as const)('in %s', (language) => {
  it.each(all)('$what.kind is said without a word of English', async (hazard) => {
    await act(() => changeLanguage(language));
    const { result } = renderHook(() => ({
      text: useFoundText({ houses: [] }),
      example: useExampleText({ houses: [] }),
    }));
    for (const said of [result.current.text(hazard), result.current.example(hazard)]) {
      expect(said).not.toMatch(/[A-Za-z{}]/);
      expect(said).not.toBe('');
    }
  });
});

it('says each hazard with what shows it', () => {
  const { result } = renderHook(() => ({
    text: useFoundText({ houses: [] }),
    example: useExampleText({ houses: [] }),
  }));
  const said = all.map(result.current.text);
  expect(new Set(said).size).toBe(all.length);
  const at = Date.UTC(2026, 0, 5, 9, 30);
  const shown = result.current.example({
    ...advising,
    what: { kind: 'flood', device: thing('Pump') },
    example: { ...example, at, reports: [{ device: thing('Valve'), on: false }] },
  });
  expect(shown).toMatch(/^For example: .*19.*Valve off.*at /);
});

const rules = '/api/farms/demo-farm-1/rules';
const flood: FoundHazard = { ...blocking, what: { kind: 'flood', device: thing('Fan 1') } };

async function editor(permissions: Record<string, Answer>) {
  const { calls } = serve({
    [`GET ${rules}`]: { body: [draft] },
    [`PUT ${rules}/${draft.id}`]: { body: { ...draft, deployed: true } },
    'GET /api/farms/demo-farm-1/devices': { body: [fan, doser] },
    'GET /api/farms/demo-farm-1/polyhouses': { body: houses },
    'GET /api/farms/demo-farm-1/conditions': { body: [] },
    'POST /api/farms/demo-farm-1/check-rule': {
      body: { trigger: null, stop: null, hazards: [], found: [flood] },
    },
    ...permissions,
  });
  showConsole(`/automation/rules?edit=${draft.id}`, owner);
  await screen.findByText(/Nothing switches Fan 1 off again/);
  screen.getByText(/^For example: .*Soil moisture.*19/i);
  return calls;
}

it('deploys over what would do damage by the word of an owner', async () => {
  const calls = await editor({});
  const sent = () => calls.filter(({ call }) => call === `PUT ${rules}/${draft.id}`);
  fireEvent.click(screen.getByRole('checkbox', { name: /I am an owner/ }));
  fireEvent.click(screen.getByRole('button', { name: 'Save and deploy' }));
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.query).toEqual({ overHazards: 'flood' });
});

it('asks nobody else for that word', async () => {
  await editor({ 'GET /api/farms': { body: [farmAs('FARM_MANAGER')] } });
  screen.getByText(/Only an owner can deploy/);
  expect(screen.queryByRole('checkbox', { name: /I am an owner/ })).toBeNull();
});
