import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keys } from '../../api/keys';
import { forgetSession } from '../../api/session';
import { base, device, fan, locked, page } from './test-control';

// Much is typed letter by letter, on a busy machine slowly.
vi.setConfig({ testTimeout: 40_000 });

afterEach(forgetSession);

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
    await person.click(screen.getByRole('button', { name: 'Lock for maintenance' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Lock Pump' }));
    await person.click(dialog.getByRole('button', { name: 'Lock for maintenance' }));
    expect(dialog.getByText('Enter a reason. It is saved in the log.')).toBeDefined();
    await person.type(dialog.getByLabelText(/Reason/), 'new belt');
    await person.click(dialog.getByRole('button', { name: 'Lock for maintenance' }));
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
    await person.click(screen.getByRole('button', { name: 'Give back to automatic' }));
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
    expect(screen.getByText(/^If it was on, it should switch itself off/)).toBeDefined();
  });

  it('says of a device that goes on where it cannot be reached that it does', async () => {
    const fan = device('Fan', { leaseEnd: 60 });
    const { choose, cache } = await page([fan]);
    await choose('Fan');
    expect(screen.getByText('When it cannot be reached it goes on at 60%.')).toBeDefined();
    cache.setQueryData(keys.devices('demo-farm-1'), [{ ...fan, online: false }]);
    expect(await screen.findByText(/^If it was on, it goes on at 60% after 3 minutes/)).toBeDefined();
    expect(screen.queryByText(/should switch itself off/)).toBeNull();
  });
});
