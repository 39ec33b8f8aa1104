// Limits of machines, in a real browser against the real server: set from a phone, felt by hand, and told in the words of the farm.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { PHONE, stage } from './stage.mjs';

const actions = [{ action: 'on' }, { action: 'off' }];
const machine = (id, name, type) => ({ id, type, name, supportedActions: actions, on: false, value: 0 });

let field;
const { ask, open } = stage({
  path: '/automation/manual',
  ready: '[data-device]',
  still: true,
  prepare: async () => {
    field = await fieldController(ask, {
      name: 'Test house',
      mac: 'AA:BB:CC:00:22:07',
      devices: [machine('l-pump', 'Booster pump', 'pump'), machine('l-fan', 'Mist fan', 'fan')],
    });
  },
  cleanup: () => field?.close(),
});

const words = {
  en: {
    limits: 'Limits',
    on: 'Turn on',
    off: 'Turn off',
    minOff: 'Stays off at least',
    newGroup: 'New group',
    groupName: 'Name of the group',
    addGroup: 'Add group',
    save: 'Save',
    refused: /stays off for its least time first/,
    full: /As many devices of its group run/,
    held: /Does not start yet: it stays off for its least time, until/,
  },
  mr: {
    limits: 'मर्यादा',
    refused: /आधी किमान ठरलेला वेळ बंद राहायचे आहे/,
    held: /अजून सुरू होणार नाही: किमान ठरलेला वेळ बंद राहायचे आहे, .*पर्यंत/,
  },
};

const device = async (name) => {
  const devices = await ask('owner', 'GET', `${FARM}/devices`);
  return devices.find((one) => one.name === name);
};
const command = async (cmd_type, name, action) =>
  ask('owner', 'POST', `${FARM}/commands`, {
    cmd_type,
    device_id: (await device(name)).id,
    action,
    duration_sec: cmd_type === 'release' ? 0 : 600,
  });

/** A fan that a rule wants on all day, and that was on just now. */
async function heldFan() {
  const fan = await device('Mist fan');
  if (fan.limits_state?.held === 'min_off') return;
  await ask('owner', 'PUT', `${FARM}/devices/${encodeURIComponent(fan.id)}/limits`, {
    limits: { min_off_sec: 3_600 },
    max_on_sec: null,
    max_pulse_sec_per_hour: null,
  });
  await command('override', 'Mist fan', { action: 'on' });
  await command('override', 'Mist fan', { action: 'off' });
  await ask('owner', 'POST', `${FARM}/rules`, {
    name: 'Mist by day',
    scope: { type: 'farm' },
    deployed: true,
    trigger: { time: { from: '00:00', to: '23:59' }, duration_sec: 1 },
    actions: [{ device_id: fan.id, command: { action: 'on' } }],
  });
  await until('the rule wants it', async () => (await device('Mist fan')).claims.length > 0);
  await command('release', 'Mist fan', { mode: 'auto' });
  await until('it is held', async () => (await device('Mist fan')).limits_state.held === 'min_off');
}

describe('limits of machines', { timeout: 120_000 }, () => {
  it('are set from a phone, and a start that they do not allow is refused with the reason', async () => {
    const say = words.en;
    const { page, complaints } = await open({ viewport: PHONE });
    await page.getByRole('button', { name: 'Booster pump', exact: true }).click();
    const step = page.getByRole('dialog', { name: 'Booster pump', exact: true });
    await step.getByRole('button', { name: say.limits, exact: true }).tap();
    const form = page.getByRole('dialog', { name: 'Limits of Booster pump' });
    await form.getByRole('switch', { name: say.minOff }).check();
    await form.getByRole('textbox', { name: say.minOff }).fill('10');
    await form.getByRole('button', { name: say.newGroup }).tap();
    await form.getByLabel(say.groupName).fill('Generator');
    await form.getByRole('button', { name: say.addGroup }).tap();
    await form.getByRole('button', { name: /^Generator · 1/, pressed: true }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(await tooWide(page), 0);
    await form.getByRole('button', { name: say.save }).tap();
    await form.waitFor({ state: 'detached' });
    const pump = await device('Booster pump');
    assert.equal(pump.limits.min_off_sec, 600);
    await step.getByText('0 of 1 run: Generator').waitFor();
    for (const name of [say.on, say.off]) {
      await step.getByRole('button', { name, exact: true }).tap();
      await page.locator('[data-stage="done"]').waitFor();
    }
    await step.getByRole('button', { name: say.on, exact: true }).tap();
    await step.getByText(say.refused).waitFor();
    assert.deepEqual(complaints, []);

    // The other one of the group, while the pump may not run at all.
    const fan = await device('Mist fan');
    await ask('owner', 'PUT', `${FARM}/devices/${encodeURIComponent(fan.id)}/limits`, {
      limits: { groups: pump.limits.groups },
      max_on_sec: null,
      max_pulse_sec_per_hour: null,
    });
    await command('override', 'Mist fan', { action: 'on' });
    await ask('owner', 'PUT', `${FARM}/devices/${encodeURIComponent(pump.id)}/limits`, {
      limits: { groups: pump.limits.groups },
      max_on_sec: null,
      max_pulse_sec_per_hour: null,
    });
    await step.getByText('1 of 1 run: Generator').waitFor();
    await step.getByRole('button', { name: say.on, exact: true }).tap();
    await step.getByText(say.full).waitFor();
  });

  for (const language of ['en', 'mr']) {
    it(`what is held back says so: ${language}`, async () => {
      const say = words[language];
      await heldFan();
      const { page, complaints } = await open({ viewport: PHONE, language });
      const card = page.locator('[data-device]', {
        has: page.getByRole('heading', { name: 'Mist fan', exact: true }),
      });
      await card.getByText(say.held).waitFor();
      await page.getByRole('button', { name: 'Mist fan', exact: true }).click();
      await page.locator('[data-panel]').getByText(say.held).waitFor();
      await page.locator('[data-panel]').getByRole('button', { name: say.limits, exact: true }).tap();
      await page.locator('[data-limit="limits.min_off_sec"]').waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      assert.equal(await tooWide(page), 0);
      assert.deepEqual(complaints, []);
    });
  }
});
