// Who decides about each device, what is not on automatic, and outages, in a real browser against the real server: on a phone and
// on a desk.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { DESK, PHONE, stage } from './stage.mjs';

const actions = [{ action: 'on' }, { action: 'off' }];
const device = (id, type, name) => ({ id, type, name, supportedActions: actions, on: false, value: 0 });

let field;
let fan;
const { ask, open } = stage({
  still: true,
  prepare: async () => {
    field = await fieldController(ask, {
      name: 'Board house',
      mac: 'AA:BB:CC:00:41:01',
      devices: [device('b-fan', 'fan', 'Gable fan'), device('b-pump', 'pump', 'Sump pump')],
    });
    fan = await until('the fan is found', async () => {
      const devices = await ask('owner', 'GET', `${FARM}/devices`);
      return devices.find(({ name, online }) => name === 'Gable fan' && online) ?? false;
    });
    await ask('owner', 'POST', `${FARM}/commands`, {
      cmd_type: 'override',
      device_id: fan.id,
      action: { on: true },
      duration_sec: 1_800,
    });
  },
  cleanup: () => field?.close(),
});

/** Whether what is at the middle of an element is that element: nothing covers it. */
const isOnTop = (locator) =>
  locator.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });

async function isWellMade(page, complaints) {
  assert.ok((await tooWide(page)) <= 0);
  assert.deepEqual(await accessibilityProblems(page), []);
  assert.deepEqual(complaints, []);
}

describe('who decides, and what is not on automatic', { timeout: 180_000 }, () => {
  for (const [viewport, lane] of [
    [PHONE, (page) => page.getByRole('region', { name: /^Manual/ })],
    [DESK, (page) => page.locator('td[data-lane="manual"]')],
  ]) {
    it(`a device is in its lane, and a tap says why, at ${viewport.width} px`, async () => {
      const { page, complaints } = await open({
        path: '/automation/holders',
        ready: '[data-held]',
        viewport,
      });
      const card = lane(page).locator('[data-held]', { hasText: 'Gable fan' });
      await card.getByText(/until/).waitFor();
      await isWellMade(page, complaints);
      await card.click();
      const why = page.getByRole('dialog', { name: 'Gable fan' });
      await why.locator('[data-decides][data-step="manual"]').waitFor();
      await isWellMade(page, complaints);
    });
  }

  it('is one line over every page, which leaves STOP where it is', async () => {
    const { page, complaints } = await open({ path: '/tasks', viewport: PHONE });
    const strip = page.locator('[data-exceptions]');
    await strip.waitFor();
    assert.match(await strip.textContent(), /not on automatic/i);
    const { height } = await strip.boundingBox();
    assert.ok(height <= 60, `the line is ${height} px high`);
    assert.ok(await isOnTop(page.locator('[data-stop-bar] button').filter({ hasText: /stop/i }).first()));
    await isWellMade(page, complaints);
    await strip.click();
    const row = page.locator('[data-exception="override"]', { hasText: 'Gable fan' });
    await row.getByText(/since/).waitFor();
    assert.ok(await isOnTop(page.locator('[data-stop-bar] button').filter({ hasText: /stop/i }).first()));
    await isWellMade(page, complaints);
    await row.getByRole('button', { name: 'Give back Gable fan' }).click();
    await row.waitFor({ state: 'detached' });
    const devices = await ask('owner', 'GET', `${FARM}/devices`);
    assert.equal(devices.find(({ id }) => id === fan.id).state.mode, 'auto');
  });

  it('a controller that goes is in the list, and an outage with what it has', async () => {
    const { page, complaints } = await open({ path: '/automation/outages', viewport: PHONE });
    field.goOffline();
    const outage = page.locator('[data-outage="controller"]', { hasText: 'Board house' });
    await until('the outage is told', async () => {
      await page.reload();
      await page.locator('main [aria-busy="false"]').first().waitFor();
      return (await outage.count()) > 0;
    });
    await outage.getByText('Its devices: Gable fan and Sump pump').waitFor();
    await outage.getByText(/still so/).waitFor();
    await isWellMade(page, complaints);
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    assert.match((await file).suggestedFilename(), /^outages-\d{4}-\d\d-\d\d\.csv$/);
    await page.locator('[data-exceptions]').click();
    const row = page.locator('[data-exception="controller_offline"]', { hasText: 'Board house' });
    await row.getByRole('link').waitFor();
  });
});
