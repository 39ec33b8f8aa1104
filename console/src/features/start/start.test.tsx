import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, farmAs, owner, serve, showConsole } from '../../test-console';

vi.setConfig({ testTimeout: 40_000 });
afterEach(forgetSession);

const at = '/api/farms/demo-farm-1';
const log = { items: [], matching: 0, page: 1, pageSize: 1, incomplete: false };
const empty: Record<string, Answer> = {
  [`GET ${at}/polyhouses`]: { body: [] },
  [`GET ${at}/controllers`]: { body: [] },
  [`GET ${at}/sensors`]: { body: [] },
  [`GET ${at}/devices`]: { body: [] },
  [`GET ${at}/logs`]: { body: log },
  [`GET ${at}/users`]: { body: { users: [owner] } },
  'GET /onboarding/invites': { body: { invites: [] } },
  [`GET ${at}/alerts`]: { body: [] },
  [`GET ${at}/rules`]: { body: [] },
};
const controller = { macid: 'AABBCCDDEE01', online: false, lastSeen: null, sensors: 0, devices: 0 };
const sensor = { id: 's1', name: 'Bed 1', gone: false, controller: 'AABBCCDDEE01' };

async function show(more: Record<string, Answer> = {}, path = '/start', role = 'OWNER') {
  const server = serve({ ...empty, 'GET /api/farms': { body: [farmAs(role)] }, ...more });
  const view = showConsole(path, owner);
  await screen.findByRole('heading', { level: 1 });
  return { ...view, server };
}
const steps = () => [...document.querySelectorAll<HTMLElement>('[data-step]')];
const state = () => steps().map(({ dataset }) => [dataset['step'], dataset['done'], dataset['next']]);
const step = async (name: string) => {
  await waitFor(() => expect(steps()).toHaveLength(7));
  return within(document.querySelector<HTMLElement>(`[data-step="${name}"]`) as HTMLElement);
};

describe('the first hour', () => {
  it('begins at the house; what the controller must be there for comes later', async () => {
    await show();
    expect((await step('house')).getByRole('link').getAttribute('href')).toBe('/polyhouses?new');
    expect(state()[0]).toEqual(['house', 'false', 'true']);
    expect((await step('sensors')).getByText('After the controller is online')).toBeDefined();
    expect((await step('sensors')).queryByRole('link')).toBeNull();
  });

  it.each(['/day', '/automation/manual', '/automation/holders', '/polyhouses/zones'])(
    'is where %s leads while it has nothing',
    async (page) => {
      const nothing = {
        [`GET ${at}/holders`]: { body: { devices: [] } },
        [`GET ${at}/crop-cycles`]: { body: [] },
      };
      await show(nothing, page);
      const link = await screen.findByRole('link', { name: 'Set up the farm' });
      expect(link.getAttribute('href')).toBe('/start');
    },
  );

  it('is nothing that somebody is led to who may not set a farm up', async () => {
    await show({}, '/automation/manual', 'VIEWER');
    await screen.findByRole('heading', { name: 'No devices yet' });
    expect(screen.queryByRole('link', { name: 'Set up the farm' })).toBeNull();
  });

  it('follows what the farm has', async () => {
    await show({
      [`GET ${at}/polyhouses`]: { body: [{ id: 'p1', name: 'House', zones: [] }] },
      [`GET ${at}/controllers`]: { body: [{ ...controller, online: true, lastSeen: 1, sensors: 2 }] },
      [`GET ${at}/sensors`]: { body: [sensor, { ...sensor, id: 's2', name: null }] },
      [`GET ${at}/logs`]: { body: { ...log, matching: 3 } },
      'GET /onboarding/invites': { body: { invites: [{ id: 'i1' }] } },
    });
    const sensors = await step('sensors');
    expect(sensors.getByText('Some have a name, others not yet.')).toBeDefined();
    expect(sensors.getByRole('link').getAttribute('href')).toBe(
      '/automation/controllers/found?controller=AABBCCDDEE01',
    );
    expect(state().map(([name, done]) => [name, done])).toEqual([
      ['house', 'true'],
      ['controller', 'true'],
      ['sensors', 'false'],
      ['devices', 'true'],
      ['person', 'true'],
      ['alert', 'false'],
      ['rule', 'false'],
    ]);
    expect(screen.getByText('4 of 7 steps done.')).toBeDefined();
  });

  it('says what a controller that was never heard waits for', async () => {
    await show({ [`GET ${at}/controllers`]: { body: [controller] } });
    const waiting = await step('controller');
    expect(waiting.getByText(/^It is registered. Waiting for its first message/)).toBeDefined();
    expect(waiting.getByRole('link').getAttribute('href')).toBe('/automation/controllers');
  });

  it('says so when how far the farm is is not known', async () => {
    await show({ [`GET ${at}/rules`]: { status: 500, body: { error: 'no', code: 'internal' } } });
    await screen.findByRole('alert');
    expect(steps()).toHaveLength(0);
  });

  it('is the work of others for who may not do it', async () => {
    await show({}, '/start', 'FARM_MANAGER');
    await screen.findByText('An owner or an admin sets the farm up.');
  });

  it('leads there from the dashboard until it is put away', async () => {
    await show({}, '/dashboard');
    const user = userEvent.setup();
    const line = within(await screen.findByRole('region', { name: 'The first hour' }));
    expect(line.getByText(/0 of 7 steps done\.\s*Next: your first polyhouse\./)).toBeDefined();
    expect(line.getByRole('link').getAttribute('href')).toBe('/start');
    await user.click(line.getByRole('button', { name: 'Put away' }));
    expect(screen.queryByRole('region', { name: 'The first hour' })).toBeNull();
  });

  it('is nothing on the dashboard of a farm that has a rule', async () => {
    const { server } = await show(
      { [`GET ${at}/rules`]: { body: [{ id: 'r1', name: 'Cool' }] } },
      '/dashboard',
    );
    await waitFor(() => expect(server.calls.some(({ call }) => call === `GET ${at}/rules`)).toBe(true));
    expect(screen.queryByRole('region', { name: 'The first hour' })).toBeNull();
    expect(server.calls.some(({ call }) => call === `GET ${at}/controllers`)).toBe(false);
  });
});
