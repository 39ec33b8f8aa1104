import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keys } from '../../api/keys';
import { forgetSession } from '../../api/session';
import { type Answer, farm, owner, serve, showConsole } from '../../test-console';
import type { Device } from './device';

type DeviceLock = Device['state']['locks'][number];

// A hundred cards are searched letter by letter, on a busy machine slowly.
vi.setConfig({ testTimeout: 40_000 });

afterEach(forgetSession);

const base = '/api/farms/demo-farm-1';
const off = { action: 'off', value: 0 } as const;
const inHouse = {
  type: 'polyhouse' as const,
  farmId: 'demo-farm-1',
  polyhouseId: 'p1',
  name: 'Polyhouse 1',
  path: 'Farm / Polyhouse 1',
};

function device(id: string, fields: Partial<Device> = {}, state: Partial<Device['state']> = {}): Device {
  return {
    id,
    name: id,
    type: 'pump',
    supportedActions: [
      { action: 'on' },
      { action: 'off' },
      { action: 'pulse', parameterType: 'seconds', minValue: 1, maxValue: 60 },
    ],
    state: {
      value: 0,
      on: false,
      mode: 'auto',
      source: 'system',
      lock: null,
      locks: [],
      safety: false,
      manualOverrideUntil: null,
      ...state,
    },
    scope: inHouse,
    online: true,
    lastUpdated: Date.now(),
    gone: false,
    controller: null,
    rest: off,
    safe: off,
    max_on_sec: null,
    max_pulse_sec_per_hour: null,
    desired: off,
    desired_by: 'rest',
    claims: [],
    last_sent: null,
    on_since: null,
    max_on_at: null,
    ...fields,
  };
}

/** The state of a device with one lock. */
function locked(kind: DeviceLock['kind'], reason: string, by: DeviceLock['by'] = null) {
  return { lock: reason, locks: [{ kind, reason, by, since: null }] } as const satisfies Partial<
    Device['state']
  > as { lock: string; locks: DeviceLock[] };
}

const percent = { parameterType: 'percentage', minValue: 0, maxValue: 100 };
const fan = device('Fan', {
  type: 'fan',
  supportedActions: [{ action: 'on' }, { action: 'off' }, { action: 'set_speed', ...percent }],
});
const acid = device('Acid pump', {
  type: 'dosing_pump',
  supportedActions: [
    { action: 'on' },
    { action: 'off' },
    { action: 'set_flow_rate', parameterType: 'ml_per_sec', minValue: 0.1, maxValue: 10 },
    { action: 'pulse', parameterType: 'seconds', minValue: 1, maxValue: 60 },
  ],
});
const command = {
  command_id: 'demo-farm-1-7',
  device_id: 'Pump',
  action: 'on',
  value: null,
  cause: 'manual',
  owner: null,
  at: 1,
  until: null,
  state: 'sent',
  changed_at: 1,
  attempts: 1,
  message: null,
};

async function page(devices: Device[], answers: Record<string, Answer> = {}, role = 'OWNER', at = '') {
  const server = serve({
    'GET /api/farms': { body: [{ ...farm, role }] },
    [`GET ${base}/devices`]: { body: devices },
    [`GET ${base}/polyhouses`]: {
      body: [{ id: 'p1', name: 'Polyhouse 1', zonesCount: 0, capacity: null, isActive: true, zones: [] }],
    },
    [`GET ${base}/rules`]: { body: [{ id: 'r1', name: 'Cool above 32' }] },
    ...answers,
  });
  const view = showConsole(`/automation/manual${at}`, owner);
  await screen.findByText('Manual Device Control', { selector: 'h1' });
  await waitFor(() => expect(document.querySelectorAll('[data-device]')).toHaveLength(devices.length));
  const card = (name: string) =>
    within(screen.getByRole('heading', { level: 3, name }).closest('li') as HTMLElement);
  const sent = () => server.calls.filter(({ call }) => call === `POST ${base}/commands`);
  const choose = (name: string) => view.person.click(screen.getByRole('button', { name }));
  return { ...view, server, card, sent, choose };
}

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
    expect(card('C').getByRole('timer').textContent).toMatch(/^1:(29|30)$/);
    expect(card('B').getByText('door open')).toBeDefined();
    expect(card('B').getByText('Open it at the machine')).toBeDefined();
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
    ]);
    expect(card('Fan').getByText('Off')).toBeDefined();
    expect(await card('Fan').findByText('Rule: Cool above 32')).toBeDefined();
    expect(card('Fan 2').getByText('60%')).toBeDefined();
    expect(card('Valve').getByText('On')).toBeDefined();
    expect(card('New').getByText('Not reported yet')).toBeDefined();
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

describe('the panel', () => {
  it('offers the actions of the device, and forgets all when another one is selected', async () => {
    const { person, choose, server } = await page([fan, device('Pump')], {
      [`POST ${base}/commands`]: { body: { status: 'failure', message: 'No', command_id: null } },
    });
    await choose('Fan');
    const type = screen.getByRole('combobox', { name: 'Command type' });
    expect(
      within(type)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual(['Override (Manual Control)', 'Pulse (Temporary Action)', 'Release (Return to Auto)']);
    const slider = screen.getByRole<HTMLInputElement>('slider', { name: 'Value (%)' });
    expect([slider.min, slider.max, slider.value]).toEqual(['0', '100', '50']);
    await person.click(screen.getByRole('button', { name: 'More' }));
    await person.type(screen.getByLabelText('Reason'), 'hot');
    await person.click(screen.getByRole('button', { name: 'Set speed to 55%' }));
    expect(await screen.findByText('Command Failed: No')).toBeDefined();
    await choose('Pump');
    expect(screen.queryByRole('slider')).toBeNull();
    expect(screen.queryByText('Command Failed: No')).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>('Reason').value).toBe('');
    await choose('Fan');
    expect(screen.getByRole<HTMLInputElement>('slider').value).toBe('50');
    expect(server.calls.filter(({ call }) => call.startsWith('POST')).map(({ body }) => body)).toEqual([
      {
        cmd_type: 'override',
        device_id: 'Fan',
        reason: 'hot',
        action: { mode: 'manual', action: 'set_speed', value: 55 },
        duration_sec: 1_800,
      },
    ]);
  });

  it('begins at what the device does', async () => {
    const { choose } = await page([{ ...fan, state: { ...fan.state, on: true, value: 80 } }]);
    await choose('Fan');
    expect(screen.getByRole<HTMLInputElement>('slider').value).toBe('80');
  });

  it('switches off what is locked, and offers nothing else', async () => {
    const { person, choose, sent } = await page(
      [device('Pump', {}, locked('person', 'belt', { user_id: 'u9', name: 'Ravi' }))],
      { [`POST ${base}/commands`]: { body: { status: 'ack', message: null, command_id: null } } },
      'FARM_MANAGER',
    );
    await choose('Pump');
    expect(screen.getByText('It is locked: it can only be switched off.')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Turn on' })).toBeNull();
    await person.click(screen.getByRole('button', { name: 'Turn off' }));
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()[0]?.body).toEqual({
      cmd_type: 'override',
      device_id: 'Pump',
      action: { mode: 'manual', action: 'off' },
    });
  });

  it('locks a device for work on it, with a reason', async () => {
    const { person, choose, server } = await page([device('Pump')], {
      [`POST ${base}/devices/Pump/lock`]: { body: device('Pump') },
    });
    await choose('Pump');
    await person.click(screen.getByRole('button', { name: 'Lock for work on it' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Lock Pump' }));
    await person.click(dialog.getByRole('button', { name: 'Lock for work on it' }));
    expect(dialog.getByText('Enter a reason. It is saved in the log.')).toBeDefined();
    await person.type(dialog.getByLabelText(/Reason/), 'new belt');
    await person.click(dialog.getByRole('button', { name: 'Lock for work on it' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(server.calls.findLast(({ call }) => call.endsWith('/lock'))?.body).toEqual({ reason: 'new belt' });
  });

  it('sets the flow of a dosing pump in ml/s, within its limits', async () => {
    const { person, choose, sent } = await page([acid], {
      [`POST ${base}/commands`]: { body: { status: 'ack', message: null, command_id: null } },
    });
    await choose('Acid pump');
    const slider = screen.getByRole<HTMLInputElement>('slider', { name: 'Value (ml/s)' });
    expect([slider.min, slider.max, slider.step]).toEqual(['0.1', '10', '0.1']);
    await person.click(screen.getByRole('button', { name: 'Set flow to 0.1 ml/s' }));
    expect(await screen.findByText('Command Successful')).toBeDefined();
    expect(sent()[0]?.body).toMatchObject({ action: { action: 'set_flow_rate', value: 0.1 } });
  });

  it.each([
    ['FARM_MANAGER', '60', '61'],
    ['ADMIN', '999999', '1000000'],
  ])('lets a %s override for up to %s minutes', async (role, most, toomuch) => {
    const { person, choose } = await page([device('Pump')], {}, role);
    await choose('Pump');
    const field = screen.getByLabelText<HTMLInputElement>('Duration (minutes)');
    expect(field.value).toBe('30');
    const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Turn on' });
    for (const [minutes, refused] of [
      ['0', true],
      ['1', false],
      [most, false],
      [toomuch, true],
      ['1.5', true],
    ] as const) {
      await person.clear(field);
      await person.type(field, minutes);
      expect(button().disabled, minutes).toBe(refused);
    }
    expect(screen.getByText(/A whole number from 1 to/)).toBeDefined();
  });

  it('pulses for seconds, where the device takes it', async () => {
    const { person, choose, sent } = await page([device('Pump'), fan], {
      [`POST ${base}/commands`]: { body: { status: 'ack', message: null, command_id: null } },
    });
    await choose('Pump');
    await person.selectOptions(screen.getByLabelText('Command type'), 'pulse');
    const field = screen.getByLabelText<HTMLInputElement>('Duration (seconds)');
    expect([field.min, field.max]).toEqual(['1', '60']);
    await person.clear(field);
    await person.type(field, '12');
    await person.click(screen.getByRole('button', { name: 'Pulse for 12 s' }));
    await screen.findByText('Command Successful');
    expect(sent()[0]?.body).toEqual({
      cmd_type: 'pulse',
      device_id: 'Pump',
      action: { mode: 'manual', duration_sec: 12 },
    });
    await choose('Fan');
    const option = screen.getByRole<HTMLOptionElement>('option', { name: 'Pulse (Temporary Action)' });
    expect(option.disabled).toBe(true);
  });

  it('releases without a duration; giving back is there in manual mode alone, and says that it stops nothing', async () => {
    const taken = device(
      'Taken',
      {},
      { mode: 'manual', source: 'Ravi', manualOverrideUntil: Date.now() + 9e5 },
    );
    const { person, choose, sent } = await page([taken, device('Pump')], {
      [`POST ${base}/commands`]: { body: { status: 'ack', message: null, command_id: null } },
    });
    await choose('Pump');
    expect(screen.queryByRole('button', { name: 'Give back to automatic' })).toBeNull();
    await person.selectOptions(screen.getByLabelText('Command type'), 'release');
    expect(screen.getByLabelText<HTMLInputElement>('Duration (minutes)').disabled).toBe(true);
    await person.click(screen.getByRole('button', { name: 'Release to auto' }));
    await choose('Taken');
    expect(screen.getByText(/^This does not stop the device/)).toBeDefined();
    await person.click(screen.getByRole('button', { name: 'Give back to automatic' }));
    expect(await screen.findByText('Given back. Off, as the rules want.')).toBeDefined();
    await waitFor(() => expect(sent()).toHaveLength(2));
    const release = { cmd_type: 'release', action: { mode: 'auto' }, duration_sec: 0 };
    expect(sent().map(({ body }) => body)).toEqual([
      { ...release, device_id: 'Pump' },
      { ...release, device_id: 'Taken' },
    ]);
  });

  it('follows the command through its real life', async () => {
    const { person, choose, cache } = await page([device('Pump')], {
      [`POST ${base}/commands`]: {
        body: { status: 'pending', message: null, command_id: 'demo-farm-1-7' },
      },
      [`GET ${base}/commands/demo-farm-1-7`]: { body: command },
    });
    await choose('Pump');
    await person.click(screen.getByRole('button', { name: 'Turn on' }));
    expect(await screen.findByText('Command Pending')).toBeDefined();
    const now = () => document.querySelector('[data-stage]')?.getAttribute('data-stage');
    await waitFor(() => expect(now()).toBe('sending'));
    const key = keys.command('demo-farm-1', 'demo-farm-1-7');
    cache.setQueryData(key, { ...command, state: 'acked', changed_at: 2 });
    expect(await screen.findByText('Command accepted')).toBeDefined();
    expect(now()).toBe('accepted');
    // Still as reported, whatever was accepted.
    expect(within(document.querySelector('[data-panel]') as HTMLElement).getByText('Off')).toBeDefined();
    cache.setQueryData(key, { ...command, state: 'confirmed', changed_at: 3 });
    await waitFor(() => expect(now()).toBe('done'));
    expect(screen.getByText('Command Successful')).toBeDefined();
  });

  it.each([
    ['failed', 'Command Failed: dry run', 'failed'],
    [
      'timed_out',
      'Command Failed: The controller did not answer in time. The command may still have been carried out: check the device before you send it again.',
      'timedOut',
    ],
    ['superseded', 'Command Pending', 'superseded'],
  ])('says that a command %s', async (state, banner, stage) => {
    const { person, choose } = await page([device('Pump')], {
      [`POST ${base}/commands`]: {
        body: { status: 'pending', message: null, command_id: 'demo-farm-1-7' },
      },
      [`GET ${base}/commands/demo-farm-1-7`]: { body: { ...command, state, message: 'dry run' } },
    });
    await choose('Pump');
    await person.click(screen.getByRole('button', { name: 'Turn on' }));
    expect(await screen.findByText(banner)).toBeDefined();
    expect(document.querySelector(`[data-stage="${stage}"]`)).not.toBeNull();
  });

  it('says when it could not be sent, and that it may have arrived if nobody answered', async () => {
    const { person, choose, server } = await page([device('Pump')], {
      [`POST ${base}/commands`]: { status: 500, body: {} },
    });
    await choose('Pump');
    await person.click(screen.getByRole('button', { name: 'Turn on' }));
    expect(await screen.findByText('Command Failed: Failed to send command')).toBeDefined();
    server.table[`POST ${base}/commands`] = 'down';
    await person.click(screen.getByRole('button', { name: 'Turn on' }));
    expect(
      await screen.findByText(/Failed to send command\. It may still have reached the device/),
    ).toBeDefined();
  });

  it('has no controls for a device that went offline in hand', async () => {
    const { choose, cache } = await page([device('Pump')]);
    await choose('Pump');
    cache.setQueryData(keys.devices('demo-farm-1'), [device('Pump', { online: false })]);
    expect((await screen.findAllByText('Device offline')).length).toBe(2);
    expect(screen.queryByRole('button', { name: 'Turn on' })).toBeNull();
  });
});
