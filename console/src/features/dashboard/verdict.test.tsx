// How the farm stands: said first, in a sentence, and never better than what is known.
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keys } from '../../api/keys';
import type { FarmVerdict, Reason } from '../../api/verdict';
import { changeLanguage } from '../../i18n/i18n';
import { type Answer, farmAs, owner, serve, showConsole, verdict as well } from '../../test-console';

const at = 'GET /api/farms/demo-farm-1/verdict';
/** 4:55 in the afternoon on the farm. */
const SINCE = Date.parse('2026-11-21T11:25:00Z');
const NOW = Date.parse('2026-11-21T11:40:00Z');

const noTemperature: Reason = {
  verdict: 'not_known',
  act: 'check_sensor',
  polyhouseId: 'p1',
  since: SINCE,
  what: { kind: 'no_signal', sensor_type: 'temperature', sensors: [], silent: 2, of: 2 },
};
const blind: Reason = {
  verdict: 'not_known',
  act: 'check_sensor',
  polyhouseId: 'p1',
  since: SINCE,
  what: {
    kind: 'rule_blind',
    rule: { id: 'r1', name: 'Cool house 1' },
    sensor_type: 'temperature',
    devices: [{ id: 'fan-1', name: 'Exhaust fan 1' }],
    all_off: true,
  },
};
const pump: Reason = {
  verdict: 'by_hand',
  act: 'give_back',
  polyhouseId: null,
  since: null,
  what: {
    kind: 'override',
    device: { id: 'pump-1', name: 'Pump 1' },
    until: NOW + 600_000,
    on: true,
    by: 'Ganesh',
  },
};
const bad: FarmVerdict = {
  farm: { verdict: 'not_known', reasons: [noTemperature, blind, pump], more: 3 },
  houses: [
    { polyhouseId: 'p1', name: 'House 1', verdict: 'not_known', reasons: [noTemperature, blind], more: 0 },
    { polyhouseId: 'p2', name: 'House 2', verdict: 'well', reasons: [], more: 0 },
  ],
};

async function dashboard(answer: Answer) {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  serve({ [at]: answer });
  const view = showConsole('/dashboard', owner);
  const panel = await screen.findByRole('region', { name: 'Farm status' });
  return { ...view, panel };
}

afterEach(() => vi.useRealTimers());

describe('the verdict', () => {
  it('names house, thing and time, and the act that helps', async () => {
    const { panel } = await dashboard({ body: bad });
    expect(panel.getAttribute('data-farm-verdict')).toBe('not_known');
    const say = within(panel);
    expect(
      say.getByText('House 1 has had no temperature reading since 4:55 pm. Now off: Exhaust fan 1.'),
    ).toBeDefined();
    // By tag: roles are slow to tell on a busy machine.
    const links = [...panel.querySelectorAll('a:not([href="/wall"], [href="/letter"])')];
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['4 more things to look at', '#to-do'],
      ['Turn on Exhaust fan 1', '/automation/manual?device=fan-1'],
      ['Check the sensor', '/polyhouses?open=p1'],
    ]);
  });

  it('lists what else there is to do, each with its act, and not again what was said', async () => {
    await dashboard({ body: bad });
    const list = within(screen.getByRole('region', { name: 'What to do' }));
    expect(list.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'Whole farm: Pump 1 is on under manual control until 5:20 pm (Ganesh). Give it back to automatic',
      'and 3 more reasons',
    ]);
    expect(list.getByRole('link').getAttribute('href')).toBe('/automation/manual?device=pump-1');
  });

  it('offers no command to who may give none', async () => {
    const view = serve({ [at]: { body: bad }, 'GET /api/farms': { body: [farmAs('VIEWER')] } });
    expect(view.table).toBeDefined();
    showConsole('/dashboard', owner);
    const panel = await screen.findByRole('region', { name: 'Farm status' });
    expect(panel.textContent).toContain('Now off: Exhaust fan 1');
    expect(within(panel).queryByRole('link', { name: /^Turn on/ })).toBeNull();
  });

  it('says "well" and what that means only where it is', async () => {
    const { panel } = await dashboard({ body: well });
    expect(panel.getAttribute('data-farm-verdict')).toBe('well');
    expect(panel.getAttribute('data-tone')).toBe('well');
    await waitFor(() => expect(panel.textContent).toContain('All is well.'));
    expect(panel.textContent).toContain('1 task is overdue.');
  });

  it('of a farm with nothing in it is "not set up", and not green', async () => {
    const { panel } = await dashboard({
      body: { farm: { verdict: 'not_set_up', reasons: [], more: 0 }, houses: [] },
    });
    expect(panel.textContent).toContain('Not set up');
    expect(panel.getAttribute('data-tone')).toBe('none');
  });

  it('is not known where the server gives none', async () => {
    const { panel } = await dashboard({ status: 503, body: { error: 'busy', code: 'x' } });
    await waitFor(() =>
      expect(panel.isConnected && panel.textContent).toContain('the server did not answer'),
    );
    expect(panel.getAttribute('data-farm-verdict')).toBe('not_known');
  });

  it('is not known once the answer is old, with what was said and when', async () => {
    const { panel, cache } = await dashboard({ body: well });
    expect(panel.getAttribute('data-farm-verdict')).toBe('well');
    act(() => {
      cache.setQueryData(keys.verdict('demo-farm-1'), well, { updatedAt: NOW - 120_000 });
    });
    await waitFor(() => {
      const now = screen.getByRole('region', { name: 'Farm status' });
      expect(now.getAttribute('data-farm-verdict')).toBe('not_known');
      expect(now.textContent).toContain('no answer since 5:08 pm');
      expect(now.textContent).toContain('At 5:08 pm it was: OK.');
    });
  });

  it('speaks Hindi and Marathi', async () => {
    await act(() => changeLanguage('mr'));
    const view = serve({ [at]: { body: bad } });
    expect(view.table).toBeDefined();
    const { container } = showConsole('/dashboard', { ...owner, languagePref: 'mr' });
    const panel = await screen.findByRole('region', { name: 'शेताची स्थिती' });
    expect(panel.textContent).toMatch(/House 1: तापमान – .* पासून रीडिंग नाही\./);
    await act(() => changeLanguage('hi'));
    expect(container.textContent).toMatch(/House 1: .* से तापमान की रीडिंग नहीं।/);
    await act(() => changeLanguage('en'));
  });
});
