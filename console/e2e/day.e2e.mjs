// The day of a house in a real browser against the real server: yesterday's curves with a gap, read by mouse and by keys, zoomed,
// and sent as a table and as a picture.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { DESK, PHONE, stage } from './stage.mjs';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How far the clock of the demo's farm is ahead of UTC. */
const OFFSET = 5.5 * HOUR;
const midnight = Math.floor((Date.now() + OFFSET) / (24 * HOUR)) * 24 * HOUR - OFFSET;
/** Yesterday at 10. */
const TEN = midnight - 14 * HOUR;

let field;

const { ask, open } = stage({
  who: 'viewer',
  still: true,
  within: 30_000,
  prepare: async () => {
    field = await fieldController(ask, {
      name: 'House of yesterday',
      mac: 'AA:BB:CC:00:44:01',
      sensors: [
        { id: 'day-temp', type: 'temperature', unit: '°C' },
        { id: 'day-hum', type: 'humidity', unit: '%' },
      ],
      devices: [],
    });
    // Half an hour, 20 minutes of nothing, half an hour.
    for (let minute = 0; minute < 80; minute += 1) {
      if (minute >= 30 && minute < 50) continue;
      for (const [id, type, latestValue] of [
        ['day-temp', 'temperature', 20 + minute / 10],
        ['day-hum', 'humidity', 60 + minute / 10],
      ])
        await field.measure({ id, type, latestValue }, TEN + minute * MINUTE);
    }
  },
  cleanup: () => field?.close(),
});

const slider = (page) => page.getByRole('slider', { name: 'Time that is read' });
/** Reads what the minute says until it says it. */
const says = (page, pattern) =>
  until(`the minute says ${pattern}`, async () =>
    pattern.test(await slider(page).getAttribute('aria-valuetext')),
  );

async function downloaded(page, button) {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

describe('the day of a house', { timeout: 300_000 }, () => {
  it('gives two sensors of yesterday as a table within five taps from home', async () => {
    const { page, complaints } = await open({ path: '/dashboard', viewport: PHONE });
    let taps = 0;
    const tap = async (locator) => {
      taps += 1;
      await locator.click();
    };
    await tap(page.getByRole('button', { name: 'Open menu' }));
    await tap(page.getByRole('link', { name: 'Polyhouse day' }));
    // Which house is a matter of the farm: the demo's own has no past in a test.
    await page.getByLabel('Polyhouse', { exact: true }).selectOption({ label: 'House of yesterday' });
    taps += 1;
    await tap(page.getByRole('button', { name: 'Yesterday' }));
    taps += 1;
    const { name, bytes } = await downloaded(page, 'Table (CSV)');
    assert.ok(taps <= 5, `${taps} taps`);
    assert.match(name, /^House-of-yesterday-\d{4}-\d\d-\d\d\.csv$/);
    const lines = bytes.toString().replace('\ufeff', '').trim().split('\r\n');
    assert.match(lines[0], /^Time,Time \(UTC\),Temperature.*,Humidity/);
    // 60 minutes were measured, in steps of five.
    assert.equal(lines.length - 1, 12);
    assert.ok(lines[1].includes(`,${new Date(TEN).toISOString()},`), lines[1]);

    // The same rows with types; what writes them has not come before.
    const loaded = () =>
      page.evaluate(() =>
        performance.getEntriesByType('resource').some((entry) => /\/parquet-[^/]*\.js$/.test(entry.name)),
      );
    assert.equal(await loaded(), false);
    const typed = await downloaded(page, 'Table (Parquet)');
    assert.equal(await loaded(), true);
    assert.equal(typed.name, name.replace(/csv$/, 'parquet'));
    const rows = await parquetReadObjects({ file: new Uint8Array(typed.bytes).buffer });
    assert.equal(Object.keys(rows[0]).join(','), lines[0]);
    assert.deepEqual(
      rows.map(({ Time, 'Time (UTC)': at, ...values }) => [at.toISOString(), ...Object.values(values)]),
      lines.slice(1).map((line) => {
        const [at, ...values] = line.split(',').slice(-3);
        return [at, ...values.map((value) => (value === '' ? null : Number(value)))];
      }),
    );
    assert.deepEqual(complaints, []);
  });

  it('is read and zoomed by keys alone, and a gap is a gap', async () => {
    const houses = await ask('viewer', 'GET', '/api/farms/demo-farm-1/polyhouses');
    const { id } = houses.find(({ name }) => name === 'House of yesterday');
    const { page, complaints } = await open({ path: `/day?polyhouse=${id}&at=${TEN + 10 * MINUTE}` });
    await says(page, /10:10 am.*Temperature.*: 21.2 °C/);
    await slider(page).focus();
    for (let times = 0; times < 5; times += 1) await page.keyboard.press('+');
    // Three quarters of an hour are shown: by the minute.
    await says(page, /Temperature.*: 21 °C/);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await says(page, /10:40 am.*No reading/);
    await page.waitForURL(/from=\d+/);
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  it('has names before the axis at a desk, where the mouse does not move the minute', async () => {
    const { page, complaints } = await open({ path: '/day?polyhouse=polyhouse-1', viewport: DESK });
    const strip = page.locator('li:has(> canvas)').first();
    await strip.waitFor();
    const [name, drawn, plot] = await Promise.all(
      [strip.locator('> p'), strip.locator('> canvas'), slider(page)].map((part) => part.boundingBox()),
    );
    assert.ok(name.x + name.width <= drawn.x, 'the name stands before its strip');
    assert.equal(drawn.x, plot.x);
    assert.equal(drawn.width, plot.width);
    const at = () => slider(page).getAttribute('aria-valuenow');
    const before = await at();
    await page.mouse.move(name.x + 40, name.y + 10);
    await page.mouse.move(name.x + 60, name.y + 10);
    // A frame in which it would have moved.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    assert.equal(await at(), before);
    await page.mouse.move(drawn.x + drawn.width / 4, drawn.y + 5);
    await until('the minute is a quarter of the day', async () => (await at()) !== before);
    const [from, to] = await Promise.all(
      ['aria-valuemin', 'aria-valuemax'].map(async (end) => Number(await slider(page).getAttribute(end))),
    );
    const part = (Number(await at()) - from) / (to - from);
    assert.ok(Math.abs(part - 0.25) < 0.01, `${part}`);
    assert.deepEqual(complaints, []);
  });

  it('is a picture too, and fits a phone and a desk in the dark', async () => {
    for (const viewport of [PHONE, DESK]) {
      const { page } = await open({ path: `/day?at=${TEN}`, viewport, colorScheme: 'dark', language: 'mr' });
      await page.getByRole('slider').waitFor();
      assert.ok((await tooWide(page)) <= 0);
      assert.deepEqual(await accessibilityProblems(page), []);
    }
    const { page } = await open({ path: `/day?at=${TEN}` });
    const { name, bytes } = await downloaded(page, 'Picture');
    assert.match(name, /\.png$/);
    assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  });

  it('has a note of the minute that is read, which others see and do not change', async () => {
    const houses = await ask('viewer', 'GET', '/api/farms/demo-farm-1/polyhouses');
    const { id } = houses.find(({ name }) => name === 'House of yesterday');
    const path = `/day?polyhouse=${id}&at=${TEN + 10 * MINUTE}`;
    const { page, complaints } = await open({ who: 'owner', path });
    const notes = page.getByRole('region', { name: 'Notes' });
    await page.getByRole('button', { name: /^Note something at .*10:10 am/ }).click();
    await page.getByRole('textbox', { name: 'What happened' }).fill('Opened the door');
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole('button', { name: 'Save' }).click();
    await notes.getByText('Opened the door').waitFor();
    await page.getByText('Somebody noted something').waitFor();
    const [{ at }] = (await ask('viewer', 'GET', '/api/farms/demo-farm-1/notes')).filter(
      ({ text }) => text === 'Opened the door',
    );
    assert.equal(at, TEN + 10 * MINUTE);
    // It is read with the curves, where the minute is.
    await says(page, /10:10 am.*; Opened the door$/);
    await slider(page).press('Shift+ArrowRight');
    await says(page, /11:00 am[^;]*;(?!.*Opened)/);

    const other = (await open({ path })).page;
    await other.getByRole('region', { name: 'Notes' }).getByText('Opened the door').waitFor();
    assert.equal(await other.getByRole('button', { name: 'Delete the note' }).count(), 0);

    await notes.getByRole('button', { name: 'Delete the note' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await until('the note is gone', async () => (await notes.getByText('Opened the door').count()) === 0);
    assert.deepEqual(complaints, []);
  });
});
