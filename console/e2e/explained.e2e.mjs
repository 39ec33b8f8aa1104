// Why, why not, what if, in a real browser against the real server: a rule says what it waits for and what it would have done.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { PHONE, stage } from './stage.mjs';

const actions = [{ action: 'on' }, { action: 'off' }];

let field;
const { ask, open } = stage({
  path: '/automation/rules',
  ready: '[data-rule]',
  still: true,
  prepare: async () => {
    field = await fieldController(ask, {
      name: 'Why house',
      mac: 'AA:BB:CC:00:29:01',
      devices: [
        { id: 'y-fan', type: 'fan', name: 'Ridge fan', supportedActions: actions, on: false, value: 0 },
      ],
    });
    const fan = await until('the fan is found', async () => {
      const devices = await ask('owner', 'GET', `${FARM}/devices`);
      return devices.find(({ name }) => name === 'Ridge fan') ?? false;
    });
    await ask('owner', 'POST', `${FARM}/rules`, {
      name: 'Air the ridge',
      scope: { type: 'farm' },
      mode: 'auto',
      deployed: true,
      trigger: { sensor_type: 'temperature', operator: 'gt', value: 49, duration_sec: 600 },
      actions: [{ device_id: fan.id, command: { action: 'on' } }],
    });
  },
  cleanup: () => field?.close(),
});

describe('an explanation', { timeout: 120_000 }, () => {
  it('says of a rule what it waits for, and why it did not act', async () => {
    const { page, complaints } = await open({ viewport: PHONE });
    const row = page.locator('[data-rule]', { hasText: 'Air the ridge' });
    await row.locator('summary').first().click();
    await row.getByText('Why?', { exact: true }).click();
    const why = row.locator('[data-explained]');
    await why
      .getByText(/temperature above 49 °C/)
      .first()
      .waitFor();
    await why.getByText(/more \(above 49 °C\)|fresh reading above/).waitFor();
    assert.equal(await why.locator('[data-truth="true"]').count(), 0);
    await row.getByText('Why not?', { exact: true }).click();
    await row.getByText('It did not act in this time').waitFor();
    assert.equal(await tooWide(page), 0);
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });
});
