import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keys } from '../../api/keys';
import { forgetSession } from '../../api/session';
import type { Device } from '../../screen/device';
import { base, device, fan, locked, page } from './test-control';

// A hundred cards are searched letter by letter, on a busy machine slowly.
vi.setConfig({ testTimeout: 40_000 });

afterEach(forgetSession);

describe('the list', () => {
  it('says that it loads, and what to do when there is nothing', async () => {
    await page([]);
    expect(await screen.findByText('No devices yet')).toBeDefined();
    expect(screen.getByRole('heading', { name: 'Select a Device' })).toBeDefined();
  });

  it('shows the first status that applies, and why a device cannot be selected', async () => {
    const everything = { ...locked('controller', 'door open'), mode: 'manual', safety: true } as const;
    const { card } = await page(
      [
        device('A', { online: false }, everything),
        device('B', {}, everything),
        device('C', {}, { mode: 'manual', source: 'Ravi', manualOverrideUntil: Date.now() + 90_000 }),
        device('D', {}, { mode: 'safety', safety: true }),
        device('E'),
      ],
      {},
      'FARM_MANAGER',
    );
    for (const [name, status, reason] of [
      ['A', 'Offline', 'Device offline'],
      ['B', 'Locked', 'Device locked (safety override)'],
      ['C', 'Manual', undefined],
      ['D', 'Safety', 'Safety mode - admin access required'],
      ['E', 'Auto', undefined],
    ] as const) {
      expect(card(name).getByText(status), name).toBeDefined();
      // Everyone may switch off what is locked or in safety mode.
      expect(card(name).getByRole<HTMLButtonElement>('button', { name }).disabled, name).toBe(name === 'A');
      if (reason) expect(card(name).getByText(reason), name).toBeDefined();
    }
    expect(card('C').getByText(/^Ravi, until/)).toBeDefined();
    expect(card('A').getByText(/^Last known state, \d/)).toBeDefined();
    expect(card('C').getByRole('timer').textContent).toMatch(/^1:(2\d|30)$/);
    expect(card('B').getByText('door open')).toBeDefined();
    expect(card('B').getByText('Unlock it at the machine')).toBeDefined();
  });

  it('lets an admin select a device in safety mode', async () => {
    const { card } = await page([device('D', {}, { mode: 'safety', safety: true })], {}, 'ADMIN');
    expect(card('D').getByRole<HTMLButtonElement>('button').disabled).toBe(false);
  });

  it('shows what is reported, not what was sent, and which rule has it', async () => {
    const { card } = await page([
      device('Fan', { ...fan, name: 'Fan', desired_by: 'r1', last_sent: { action: 'on' } }),
      { ...fan, id: 'F2', name: 'Fan 2', state: { ...fan.state, on: true, value: 60 } },
      device('Valve', {}, { on: true, value: 100 }),
      device('New', {}, { on: null, value: null }),
      device('Acid', { pulse: { rule: 'r1', until: Date.now() + 30_000 } }, { on: true }),
    ]);
    expect(await card('Acid').findByText(/^Rule: .+, until .*\d/)).toBeDefined();
    expect(card('Fan').getByText('Off')).toBeDefined();
    expect(
      await card('Fan').findByText('Temperature above 32 °C, until below 30.5 °C, now not known'),
    ).toBeDefined();
    expect(card('Fan 2').getByText('60%')).toBeDefined();
    expect(card('Valve').getByText('On')).toBeDefined();
    expect(card('New').getByText('Not reported yet')).toBeDefined();
  });

  it('has what is locked, by a person, running or wanted first, then a line for each of the others', async () => {
    const { cache } = await page([
      device('Acid'),
      device('Running', {}, { on: true }),
      device('Wanted', { desired_by: 'r1' }),
      device('Away', { online: false }),
      device('Taken', {}, { mode: 'manual', source: 'Ravi' }),
      device('Stopped', {}, locked('stop', 'hand in it')),
    ]);
    const busy = screen.getByRole('region', { name: 'Running, manual or in trouble' });
    const first = () =>
      within(busy)
        .getAllByRole('heading', { level: 3 })
        .map((name) => name.textContent);
    expect(first()).toEqual(['Stopped', 'Taken', 'Running', 'Wanted', 'Away']);
    const rows = () => [...document.querySelectorAll('[data-row] h3')].map((name) => name.textContent);
    expect(rows()).toEqual(['Acid']);
    // What rests meanwhile does not move away under a finger, nor does what comes push anything down there.
    const told = (...devices: Device[]) =>
      act(() => {
        cache.setQueryData(keys.devices('demo-farm-1'), devices);
      });
    told(device('Acid'), device('Running'));
    await waitFor(() => expect(document.querySelectorAll('[data-device]')).toHaveLength(2));
    expect(rows()).toEqual(['Acid']);
    told(device('Acid', {}, locked('stop', 'hand in it')), device('Running', {}, { on: true }));
    await waitFor(() => expect(rows()).toEqual([]));
    expect(first()).toEqual(['Running', 'Acid']);
  });

  it('leads from the list into the panel and back by keys alone', async () => {
    const { person } = await page([device('Acid'), device('Pump')]);
    screen.getByRole('button', { name: 'Pump' }).focus();
    await person.keyboard('{Enter}');
    const panel = await screen.findByRole('region', { name: 'Pump' });
    await waitFor(() => expect(document.activeElement).toBe(panel));
    await person.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Pump' })));
    expect(document.querySelector('[data-panel]')).toBeNull();
  });

  it('is searched and filtered when there are many', async () => {
    const many = Array.from({ length: 100 }, (_, n) => device(`Pump ${n}`, n === 7 ? { online: false } : {}));
    await page(many);
    // By label and tag, and events without a person's pointer: among a hundred cards jsdom takes seconds for those.
    const names = () => [...document.querySelectorAll('h3')].map(({ textContent }) => textContent);
    const set = (label: string, value: string) =>
      fireEvent.change(screen.getByLabelText(label), { target: { value } });
    expect(screen.getByText('100 of 100 devices')).toBeDefined();
    set('Search devices', 'pump 9');
    expect(await screen.findByText('11 of 100 devices')).toBeDefined();
    expect(names()).toEqual(['Pump 9', ...Array.from({ length: 10 }, (_, n) => `Pump 9${n}`)]);
    set('State', 'offline');
    expect(await screen.findByText('No device matches.')).toBeDefined();
    fireEvent.click(screen.getByText('Clear filters'));
    set('State', 'offline');
    await waitFor(() => expect(names()).toEqual(['Pump 7']));
  });

  it('shows a viewer the states, and no control', async () => {
    await page([device('Pump')], {}, 'VIEWER', '?device=Pump');
    expect(screen.queryByRole('button', { name: 'Pump' })).toBeNull();
    expect(screen.queryByText('Select a Device')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Turn on' })).toBeNull();
  });

  it('lets an admin unlock, with a reason', async () => {
    const { person, card, server } = await page([device('Pump', {}, locked('max_on', 'max_on'))], {
      [`POST ${base}/devices/Pump/unlock`]: {
        status: 409,
        body: { error: 'It is not reachable', code: 'x' },
      },
    });
    expect(card('Pump').getAllByText('Locked: on for too long').length).toBeGreaterThan(0);
    await person.click(screen.getByRole('button', { name: 'Unlock Pump' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Unlock Pump' }));
    const open = () => person.click(dialog.getByRole('button', { name: 'Nobody is there: unlock' }));
    await open();
    expect(dialog.getByText('Enter a reason. It is saved in the log.')).toBeDefined();
    await person.type(dialog.getByLabelText(/Reason/), 'cooled down');
    await open();
    expect(await dialog.findByText('It is not reachable')).toBeDefined();
    server.table[`POST ${base}/devices/Pump/unlock`] = { body: device('Pump') };
    server.table[`GET ${base}/devices`] = { body: [device('Pump')] };
    await open();
    expect(await dialog.findByText('The rules want: Off')).toBeDefined();
    await person.click(dialog.getAllByRole('button', { name: 'Close' })[1] as HTMLElement);
    expect(server.calls.findLast(({ call }) => call.endsWith('/unlock'))?.body).toEqual({
      kind: 'max_on',
      userId: null,
      nobodyAtTheMachine: true,
      reason: 'cooled down',
    });
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Unlock Pump' })).toBeNull());
  });

  it.each([
    ['max_on', 'FARM_MANAGER', false],
    ['keeps_stopping', 'ADMIN', true],
    ['person', 'FARM_MANAGER', true],
    ['stop', 'VIEWER', false],
    ['controller', 'OWNER', false],
  ] as const)('has a lock of the kind %s opened by a %s: %s', async (kind, role, may) => {
    await page([device('Pump', {}, locked(kind, 'why', { user_id: 'u9', name: 'Ravi' }))], {}, role);
    expect(screen.queryByRole('button', { name: 'Unlock Pump' }) !== null).toBe(may);
  });

  it('lets a viewer open their own stop, and needs no reason', async () => {
    const mine = device('Pump', {}, locked('stop', 'stop', { user_id: 'u1', name: 'Asha Patil' }));
    const freed = device(
      'Pump',
      { desired: { action: 'on', value: 100 }, desired_by: 'r1' },
      { mode: 'manual' },
    );
    const { person, server } = await page(
      [mine],
      { [`POST ${base}/devices/Pump/unlock`]: { body: freed } },
      'VIEWER',
    );
    // The list has it unlocked before anybody has read what follows.
    server.table[`GET ${base}/devices`] = { body: [freed] };
    await person.click(screen.getByRole('button', { name: 'Unlock Pump' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText('Is nobody at the machine?')).toBeDefined();
    await person.click(dialog.getByRole('button', { name: 'Nobody is there: unlock' }));
    // What follows is seen before it starts.
    expect(await dialog.findByText(/^Starts in 0:(10|09)$/)).toBeDefined();
    expect(await dialog.findByText('The rules want: On (Cool above 32)')).toBeDefined();
    expect(dialog.queryByRole('button', { name: 'Start now' })).toBeNull();
    expect(server.calls.findLast(({ call }) => call.endsWith('/unlock'))?.body).toMatchObject({
      kind: 'stop',
      userId: 'u1',
      nobodyAtTheMachine: true,
    });
  });

  it('says when the devices could not be loaded', async () => {
    await page([], { [`GET ${base}/devices`]: { status: 500, body: {} } });
    expect((await screen.findByRole('alert')).textContent).toContain('The devices could not be loaded.');
  });
});
