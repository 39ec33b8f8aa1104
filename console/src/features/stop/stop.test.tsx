import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { forgetStops } from '../../api/stop';
import { type Answer, farmAs, owner, serve, showConsole } from '../../test-console';

beforeEach(forgetStops);
afterEach(forgetSession);

const base = '/api/farms/demo-farm-1';
const inHouse = {
  type: 'polyhouse' as const,
  farmId: 'demo-farm-1',
  polyhouseId: 'p1',
  name: 'Polyhouse 1',
  path: 'Farm / Polyhouse 1',
};
const stopped = (deviceId: string, state: string, leaseEnd: number | null = null) => ({
  deviceId,
  name: deviceId,
  scope: inHouse,
  state,
  leaseEnd,
});
const sunita = { user_id: 'u9', name: 'Sunita Jadhav' };

async function page(answers: Record<string, Answer> = {}, role = 'OWNER') {
  const server = serve({
    'GET /api/farms': { body: [farmAs(role)] },
    [`GET ${base}/polyhouses`]: {
      body: [{ id: 'p1', name: 'Polyhouse 1', zonesCount: 0, capacity: null, isActive: true, zones: [] }],
    },
    [`GET ${base}/rules`]: { body: [{ id: 'r1', name: 'Cool above 32' }] },
    [`GET ${base}/stop`]: { body: { stops: [] } },
    ...answers,
  });
  const view = showConsole('/templates', owner);
  const button = await screen.findByRole('button', { name: 'STOP: hold for one second' });
  const sent = () => server.calls.filter(({ call }) => call === `POST ${base}/stop`);
  return { ...view, server, button, sent };
}

/** Holds by pointer for as long as it takes. */
async function hold(button: HTMLElement) {
  fireEvent.pointerDown(button, { button: 0, pointerId: 1 });
  const sheet = await screen.findByRole('dialog', { name: 'What should stop?' });
  fireEvent.pointerUp(button, { pointerId: 1 });
  await screen.findByRole('button', { name: 'Polyhouse 1' });
  return within(sheet);
}

describe('the button', () => {
  it.each(['OWNER', 'VIEWER'])(
    'stops a house for a %s: held, one tap, and told device by device',
    async (role) => {
      const { button, person, sent, server } = await page(
        {
          [`POST ${base}/stop`]: {
            body: { devices: [stopped('Fan', 'sent'), stopped('Pump', 'confirmed')] },
          },
        },
        role,
      );
      const sheet = await hold(button);
      await person.click(sheet.getByRole('button', { name: 'Polyhouse 1' }));
      expect(
        await screen.findByText('Not confirmed: switch it off at the machine', { selector: 'strong' }),
      ).toBeDefined();
      expect(document.querySelector('[data-stopped="Fan"]')?.textContent).toContain('Not confirmed');
      expect(document.querySelector('[data-stopped="Pump"]')?.textContent).toContain('Stopped (confirmed)');
      server.table[`POST ${base}/stop`] = {
        body: { devices: [stopped('Fan', 'confirmed'), stopped('Pump', 'confirmed')] },
      };
      expect(await screen.findByText('All stopped and locked')).toBeDefined();
      const ids = new Set(sent().map(({ body }) => (body as { id: string }).id));
      expect(ids.size, 'asking again is the same stop').toBe(1);
      expect(sent()[0]?.body).toMatchObject({ scope: { type: 'polyhouse', polyhouseId: 'p1' } });
    },
  );

  it('says of a device that cannot be reached whether it goes on', async () => {
    const { button, person } = await page({
      [`POST ${base}/stop`]: {
        body: { devices: [stopped('Fan', 'unreachable', 60), stopped('Pump', 'unreachable')] },
      },
    });
    const sheet = await hold(button);
    await person.click(sheet.getByRole('button', { name: 'Polyhouse 1' }));
    const told = (name: string) => document.querySelector(`[data-stopped="${name}"]`)?.textContent;
    await waitFor(() => expect(told('Fan')).toContain('Cannot be reached, and goes on at 60%'));
    expect(told('Pump')).toContain('Cannot be reached: switch it off at the machine');
  });

  it('does nothing when it is let go too early, but asks once more', async () => {
    const { button, person, sent } = await page({
      [`POST ${base}/stop`]: { body: { devices: [] } },
    });
    await person.click(button);
    await person.click(await screen.findByRole('button', { name: 'The whole farm' }));
    expect(sent()).toHaveLength(0);
    await person.click(screen.getByRole('button', { name: 'Yes, stop the whole farm' }));
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()[0]?.body).toMatchObject({ scope: { type: 'farm' } });
  });

  it.each(['Enter', ' '])('is held by the key %j, which then presses nothing', async (key) => {
    const { button, sent } = await page();
    fireEvent.keyDown(button, { key });
    await screen.findByRole('dialog', { name: 'What should stop?' });
    const focused = document.activeElement as HTMLElement;
    await waitFor(() => expect(document.activeElement?.tagName).not.toBe('BUTTON'));
    fireEvent.keyDown(focused, { key, repeat: true });
    fireEvent.keyUp(focused, { key });
    expect(sent()).toHaveLength(0);
  });
});

describe('without an answer', () => {
  it('says at once that nothing is confirmed, goes on trying, and says so on the page too', async () => {
    const { button, person, sent, server } = await page({ [`POST ${base}/stop`]: 'down' });
    const sheet = await hold(button);
    await person.click(sheet.getByRole('button', { name: 'The whole farm' }));
    expect(screen.getByText('Not confirmed: switch it off at the machine')).toBeDefined();
    await waitFor(() => expect(sent().length).toBeGreaterThan(1));
    await person.click(screen.getByRole('button', { name: 'Close' }));
    expect(await screen.findByText('Stop not confirmed: the whole farm')).toBeDefined();
    server.table[`POST ${base}/stop`] = { body: { devices: [] } };
    await waitFor(() => expect(screen.queryByText('Stop not confirmed: the whole farm')).toBeNull());
  });

  it('gives up after two minutes, and says that nothing is sent any more', async () => {
    const { button, sent } = await page({ [`POST ${base}/stop`]: 'down' });
    const sheet = await hold(button);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    fireEvent.click(sheet.getByRole('button', { name: 'The whole farm' }));
    await act(() => vi.advanceTimersByTimeAsync(130_000));
    expect(screen.getAllByText(/No more attempts are made/)).toHaveLength(2);
    const before = sent().length;
    expect(before).toBeLessThan(60);
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(sent().length).toBe(before);
  });

  it('tries on when it is told to wait', async () => {
    const { button, person, server } = await page({ [`POST ${base}/stop`]: { status: 429, body: {} } });
    const sheet = await hold(button);
    await person.click(sheet.getByRole('button', { name: 'Polyhouse 1' }));
    server.table[`POST ${base}/stop`] = { body: { devices: [stopped('Fan', 'confirmed')] } };
    expect(await screen.findByText('All stopped and locked')).toBeDefined();
  });
});

describe('the strip', () => {
  const holds = {
    by: sunita,
    since: Date.now(),
    reason: 'arm in the fan',
    devices: [stopped('Fan', 'confirmed'), stopped('Pump', 'unreachable')],
  };

  it('says who stopped what and why, and what is not confirmed', async () => {
    await page({ [`GET ${base}/stop`]: { body: { stops: [holds] } } }, 'VIEWER');
    expect(await screen.findByText('Stopped: Fan and Pump')).toBeDefined();
    expect(screen.getByText(/Sunita Jadhav.*arm in the fan/)).toBeDefined();
    expect(screen.getByText('Not confirmed, switch off at the machine: Pump')).toBeDefined();
    expect(screen.getByText(/^Sunita Jadhav, or an owner/)).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Unlock' })).toBeNull();
  });

  it('asks whether nobody is there, then shows what the rules want, and starts it at a tap', async () => {
    const fan = {
      id: 'Fan',
      name: 'Fan',
      online: true,
      desired: { action: 'set_speed', value: 60 },
      desired_by: 'r1',
      state: { mode: 'manual', locks: [] },
    };
    const { person, server } = await page({
      [`GET ${base}/stop`]: { body: { stops: [holds] } },
      [`POST ${base}/stop/open`]: { body: [fan] },
      [`POST ${base}/commands`]: { body: { status: 'ack', message: null, command_id: null } },
    });
    await person.click(await screen.findByRole('button', { name: 'Unlock' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText('Is nobody at the machine?')).toBeDefined();
    await person.click(dialog.getByRole('button', { name: 'Nobody is there: unlock' }));
    expect(await dialog.findByText('The rules want: On 60% (Cool above 32)')).toBeDefined();
    expect(server.calls.find(({ call }) => call === `POST ${base}/stop/open`)?.body).toEqual({
      scope: { type: 'polyhouse', polyhouseId: 'p1' },
      userId: 'u9',
      nobodyAtTheMachine: true,
    });
    await person.click(dialog.getByRole('button', { name: 'Start now' }));
    expect(await dialog.findByText('Unlocked. The rules are in control again.')).toBeDefined();
    expect(server.calls.find(({ call }) => call === `POST ${base}/commands`)?.body).toMatchObject({
      cmd_type: 'release',
      device_id: 'Fan',
    });
  });
});
