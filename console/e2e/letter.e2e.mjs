// The evening letter in a real browser against the real server: a made-up yesterday, turned to from today, in three languages, and
// the week on paper; and where the farm is, typed and taken from the phone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessibilityProblems, tooWide } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { DESK, PHONE, stage } from './stage.mjs';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How far the clock of the demo's farm is ahead of UTC. */
const OFFSET = 5.5 * HOUR;
const midnight = Math.floor((Date.now() + OFFSET) / (24 * HOUR)) * 24 * HOUR - OFFSET;
/** Yesterday at 10. */
const TEN = midnight - 14 * HOUR;
const dayOf = (at) => new Date(at + OFFSET).toISOString().slice(0, 10);
const YESTERDAY = dayOf(TEN);

let field;

const { ask, open } = stage({
  who: 'owner',
  still: true,
  within: 30_000,
  prepare: async () => {
    field = await fieldController(ask, {
      name: 'House of the letter',
      mac: 'AA:BB:CC:00:44:19',
      sensors: [
        { id: 'letter-temp', type: 'temperature', unit: '°C' },
        { id: 'letter-hum', type: 'humidity', unit: '%' },
      ],
      devices: [],
    });
    // An hour at 22 °C, and one at 33.
    for (let minute = 0; minute < 120; minute += 2)
      for (const [id, type, latestValue] of [
        ['letter-temp', 'temperature', minute < 60 ? 22 : 33],
        ['letter-hum', 'humidity', 60],
      ])
        await field.measure({ id, type, latestValue }, TEN + minute * MINUTE);
  },
  cleanup: () => field?.close(),
});

describe('the evening letter', { timeout: 300_000 }, () => {
  it('is in the menu, tells yesterday house by house, and leads to the minute', async () => {
    const { page, complaints } = await open({ path: '/dashboard', viewport: PHONE });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Evening letter' }).click();
    await page.goto(new URL(`/letter?day=${YESTERDAY}`, page.url()).href);
    const house = page.getByRole('region', { name: 'House of the letter' });
    await house.getByText(/Hottest from 11 am to 12 pm: 33 °C on average/).waitFor();
    await house.getByText(/Coldest from 10 am to 11 am: 22 °C on average/).waitFor();
    await house.getByText(/Temperature not known for/).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(await tooWide(page), 0);
    await house.getByRole('link', { name: /Hottest/ }).click();
    await page.waitForURL(/\/day\?.*at=\d+/);
    await page.getByRole('slider', { name: 'Time that is read' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  for (const [lang, title, hottest] of [
    ['hi', 'शाम की चिट्ठी', /सबसे गरम/],
    ['mr', 'संध्याकाळचे पत्र', /सर्वात गरम/],
  ])
    it(`is told in ${lang}`, async () => {
      const { page, complaints } = await open({
        path: `/letter?day=${YESTERDAY}`,
        language: lang,
        viewport: DESK,
      });
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.getByText(hottest).first().waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      assert.deepEqual(complaints, []);
    });

  it('puts the week on paper, black on white and without the frame', async () => {
    const { page, complaints } = await open({
      path: `/letter?week=${YESTERDAY}`,
      viewport: DESK,
      scheme: 'dark',
    });
    const table = page.getByRole('region', { name: /House of the letter, day by day/ });
    await table.getByText('33 °C').first().waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.getByRole('navigation', { name: 'Main navigation' }).isVisible(), false);
    assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false);
    const inks = await table.evaluate((element) => {
      const { color } = getComputedStyle(element);
      return [color, getComputedStyle(document.body).backgroundColor];
    });
    assert.deepEqual(inks, ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    // A page object each; the tables of the demo's houses and of the field's stand on few of them.
    const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(sheets >= 1 && sheets <= 2, `${sheets} sheets`);
    assert.deepEqual(complaints, []);
  });
});

describe('where the farm is', { timeout: 300_000 }, () => {
  it('is taken from the phone, and the day shows when the sun rises there', async () => {
    const { page, complaints } = await open({ path: '/polyhouses', viewport: PHONE });
    await page.context().grantPermissions(['geolocation']);
    await page.context().setGeolocation({ latitude: 20, longitude: 73.79 });
    await page.getByRole('button', { name: 'Where the farm is' }).click();
    const form = page.getByRole('dialog', { name: 'Where the farm is' });
    await form.getByRole('button', { name: 'Use where this phone is' }).click();
    await page.waitForFunction(() => document.querySelector('input[name=lat]')?.value === '20');
    assert.deepEqual(await accessibilityProblems(page), []);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'hidden' });
    await page.goto(new URL('/day', page.url()).href);
    await page.getByText(/Sunrise \d+:\d\d am, sunset \d+:\d\d pm/).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('is refused where it is nowhere on earth', async () => {
    const { page } = await open({ path: '/polyhouses', viewport: DESK });
    await page.getByRole('button', { name: 'Where the farm is' }).click();
    const form = page.getByRole('dialog', { name: 'Where the farm is' });
    await form.getByLabel('Latitude, north').fill('95');
    await form.getByLabel('Longitude, east').fill('73,7');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('A number from −90 to 90').waitFor();
  });
});
