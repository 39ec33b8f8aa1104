// What people come for, by the taps that it takes on a phone, counted as a person makes them: a tap is 1, a choice from a list
// of the system 2. The seconds are those of the keystroke-level model, 1.6 a tap and 0.35 a key, without reading.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { until } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { PHONE, stage } from './stage.mjs';

const TAP_S = 1.6;
const KEY_S = 0.35;
const HOUSE = 'Tapped house';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FIRES_WITHIN_MS = 30_000;

let field;
let heating;
const table = [];

const { ask, open } = stage({
  path: '/dashboard',
  viewport: PHONE,
  still: true,
  within: 30_000,
  prepare: async () => {
    field = await fieldController(ask, {
      name: HOUSE,
      mac: 'AA:BB:CC:00:55:01',
      sensors: [
        { id: 'tap-temp', type: 'temperature', unit: '°C' },
        { id: 'tap-hum', type: 'humidity', unit: '%' },
      ],
      devices: [{ id: 'tap-fan', name: 'Tapped fan', type: 'fan', on: false, value: 0 }],
    });
    for (const [id, type, latestValue] of [
      ['tap-temp', 'temperature', 24],
      ['tap-hum', 'humidity', 60],
    ])
      for (let minute = 0; minute < 30; minute += 5)
        await field.measure({ id, type, latestValue }, Date.now() - DAY + minute * MINUTE);
    const temperature = (latestValue) =>
      field.measure({ id: 'tap-temp', type: 'temperature', latestValue }, Date.now());
    await temperature(31);
    let fan;
    await until('the fan is known', async () => {
      fan = (await ask('owner', 'GET', `${FARM}/devices`)).find(({ name }) => name === 'Tapped fan');
      return fan !== undefined;
    });
    await ask('owner', 'POST', `${FARM}/rules`, {
      name: 'Cool the tapped house',
      description: '',
      mode: 'auto',
      deployed: true,
      priority: 5,
      on_signal_lost: 'stop',
      scope: fan.scope,
      trigger: { sensor_type: 'temperature', operator: 'gt', value: 30, duration_sec: 1 },
      stop_condition: { sensor_type: 'temperature', operator: 'lt', value: 28, duration_sec: 60 },
      actions: [{ device_id: fan.id, command: { action: 'on' }, delay_sec: 0 }],
    });
    heating = setInterval(() => void temperature(31.6), 1_000);
    await until(
      'the fan runs',
      async () => {
        const devices = await ask('owner', 'GET', `${FARM}/devices`);
        return devices.find(({ id }) => id === fan.id).state.on === true;
      },
      FIRES_WITHIN_MS,
    );
  },
  cleanup: () => {
    clearInterval(heating);
    field?.close();
  },
});

/** Counts what a person does with a page. */
function counted(page, task) {
  const row = { task, taps: 0, keys: 0 };
  table.push(row);
  return {
    row,
    tap: async (locator) => {
      row.taps += 1;
      await locator.click();
    },
    choose: async (locator, option) => {
      row.taps += 2;
      await locator.selectOption(option);
    },
    /** One second on the button that stops. */
    hold: async (locator) => {
      row.taps += 1;
      const box = await locator.boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.getByRole('dialog', { name: 'What should stop?' }).waitFor();
      await page.mouse.up();
    },
  };
}

describe('tasks by taps', { timeout: 300_000 }, () => {
  after(() => {
    console.log('task | taps | keys | seconds (keystroke-level model)');
    for (const { task, taps, keys } of table)
      console.log(`${task} | ${taps} | ${keys} | ${(taps * TAP_S + keys * KEY_S).toFixed(1)}`);
  });

  it('says whether the crop is fine without a tap: how it stands, and the first temperature, above the fold', async () => {
    const { page, complaints } = await open();
    const { row } = counted(page, 'is the crop fine');
    const panel = page.locator('[data-farm-verdict]');
    await panel.waitFor();
    const foot = (await page.locator('[data-stop-bar]').boundingBox()).y;
    const value = page.locator('[data-house]').first().locator('[data-side], strong').first();
    await value.waitFor();
    for (const part of [panel, value]) {
      const { y, height } = await part.boundingBox();
      assert.ok(y >= 0 && y + height <= foot, `${y} + ${height} is above ${foot}`);
    }
    assert.equal(row.taps, 0);
    assert.deepEqual(complaints, []);
  });

  it('tells why a fan is on at one tap, whole', async () => {
    const { page, complaints } = await open();
    const { row, tap } = counted(page, 'why is the fan on');
    const house = page.locator('[data-house]').filter({ hasText: HOUSE });
    const running = house.locator('[data-running]').filter({ hasText: 'Tapped fan' });
    await running.getByText(/^Temperature above 30 °C, until below 28 °C, now 31.6 °C$/).waitFor();
    await tap(running.getByRole('button'));
    const why = running.locator('[data-why]');
    await why.getByText('Reading then').waitFor();
    const said = await why.locator('> div').allTextContents();
    assert.match(said[0], /^On since\d/);
    assert.deepEqual(said.slice(1), [
      `Started whenthe temperature in ${HOUSE} stays above 30 °C for 1 s`,
      said[2],
      `Stops whenthe temperature in ${HOUSE} stays below 28 °C for 1 min`,
      'Reading now31.6 °C ',
      'RuleCool the tapped house',
    ]);
    assert.match(said[2], /^Reading then31(\.6)? °C$/);
    assert.equal(row.taps, 1);
    assert.deepEqual(complaints, []);
  });

  it('gives two sensors of yesterday as a table within five taps', async () => {
    const { page, complaints } = await open();
    const { row, tap } = counted(page, 'two sensors of yesterday as CSV');
    await tap(page.locator('[data-house]').filter({ hasText: HOUSE }).locator('a[href^="/day"]'));
    await tap(page.getByRole('button', { name: 'Yesterday' }));
    const file = page.waitForEvent('download');
    await tap(page.getByRole('button', { name: 'Table (CSV)' }));
    assert.match((await file).suggestedFilename(), /^Tapped-house-.*\.csv$/);
    assert.ok(row.taps <= 5, `${row.taps} taps`);
    assert.deepEqual(complaints, []);
  });

  it('stops a house in two taps', async () => {
    const { page, complaints } = await open();
    const { row, tap, hold } = counted(page, 'emergency');
    await page.locator('[data-house]').first().waitFor();
    await hold(page.getByRole('button', { name: 'STOP: hold for one second' }));
    await tap(page.locator('[data-stop-scope="polyhouse"]').filter({ hasText: HOUSE }));
    await page.locator('[data-stop-state="confirmed"]').waitFor();
    assert.equal(row.taps, 2);
    assert.deepEqual(complaints, []);
    // For the task that follows.
    const { stops } = await ask('owner', 'GET', `${FARM}/stop`);
    for (const { by } of stops)
      await ask('owner', 'POST', `${FARM}/stop/open`, {
        scope: { type: 'farm' },
        userId: by.user_id,
        nobodyAtTheMachine: true,
      });
  });

  it('switches a device on for ten minutes, which then stands on every page', async () => {
    const { page, complaints } = await open({ path: '/automation/manual', ready: '[data-device]' });
    const { row: taps, tap } = counted(page, 'a valve on for 10 min, from manual control');
    await tap(page.getByRole('button', { name: 'Drip valve, Zone B', exact: true }));
    await tap(page.getByRole('button', { name: '10 min', exact: true }));
    await tap(page.getByRole('button', { name: 'Turn on' }));
    await page.locator('[data-stage="done"]').waitFor();
    await page.goto('/tasks');
    const strip = page.locator('[data-exceptions]');
    await strip.waitFor();
    // After the stop was opened, what the rules want waits for ten seconds: that ends sooner.
    await until('ten minutes are left', async () =>
      /on automatic.*(10:00|9:\d\d)$/.test(await strip.textContent()),
    );
    await strip.click();
    const row = page.locator('[data-exception="override"]');
    assert.match(await row.textContent(), /^Drip valve, Zone B is under manual control/);
    await row.getByRole('button', { name: 'Give back Drip valve, Zone B' }).click();
    await row.waitFor({ state: 'detached' });
    assert.equal(taps.taps, 3);
    assert.deepEqual(complaints, []);
  });
});
