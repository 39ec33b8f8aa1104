// From the box to the field without typing: its code is scanned, what it found is named by breathing on it and by running it,
// and an empty farm is led to its first rule. Taps are counted.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { askApi, FARM, registerByApi } from './api.mjs';
import { accessibilityProblems, keepSession, ownBrowser, tooWide, unexpected, until } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { photoOf, videoOf } from './pictures.mjs';
import { PHONE, stage } from './stage.mjs';
import { texts } from './texts.mjs';

const MAC = 'B2B2B2B2B2B2';
const kinds = { t1: ['temperature', '°C'], t2: ['temperature', '°C'], h1: ['humidity', '%'] };
const sensors = Object.entries(kinds).map(([id, [type, unit]]) => ({ id, type, unit }));
const read = (values) =>
  sensors.map(({ id, type, unit }) => ({ id: id, type, unit, latestValue: values[id] }));

/** Counts what a thumb does. */
function thumb() {
  let taps = 0;
  return {
    tap: async (target) => {
      await target.click();
      taps += 1;
    },
    get taps() {
      return taps;
    },
  };
}

describe('a second controller', { timeout: 180_000 }, () => {
  let folder;
  const { open, ask } = stage({
    viewport: PHONE,
    still: true,
    wholeBrowser: true,
    browserArgs: async () => {
      folder = await mkdtemp(join(tmpdir(), 'harit-camera-'));
      const seen = join(folder, 'code.y4m');
      await writeFile(seen, videoOf(`https://box.example/setup?mac=${MAC}`));
      return ['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${seen}`];
    },
    cleanup: () => rm(folder, { recursive: true, force: true }),
  });
  const t = texts('en');

  it('takes three taps, and its sensors and devices are named where they hang', async () => {
    const { page, complaints } = await open({ path: '/automation/controllers', permissions: ['camera'] });
    const dialog = page.getByRole('dialog');
    const hand = thumb();
    await hand.tap(page.getByRole('button', { name: t.controllers.add }));
    await until(
      'the code is read',
      async () => (await dialog.locator('[name="macid"]').inputValue()) === MAC,
    );
    await hand.tap(dialog.locator('label:has([value="POLYHOUSE/polyhouse-1"])'));
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(await tooWide(page), 0);
    await hand.tap(dialog.getByRole('button', { name: t.form.save, exact: true }));
    const account = page.locator(`[data-account="${MAC}"]`);
    await account.getByText(t.screen.controller.waiting).waitFor();
    assert.equal(hand.taps, 3);

    const password = await account.locator('[data-password]').textContent();
    const address = await account.locator('dd > span').first().textContent();
    const topic = await account.locator('dd > span').last().textContent();
    const typed = async () => ({ assets: [{ mqtt: { address, username: MAC, password, topic } }] });
    const devices = ['k1', 'k2'].map((id) => ({
      id,
      type: 'fan',
      name: id.toUpperCase(),
      supportedActions: [{ action: 'on' }, { action: 'off' }, { action: 'pulse' }],
      on: false,
      value: 0,
    }));
    const field = await fieldController(typed, { name: 'box', mac: MAC, devices, sensors });
    field.measure(read({ t1: 24, t2: 24.1, h1: 60 }));
    await account.getByRole('link', { name: t.controllers.toFound }).click();
    await page.getByText('Found 3 sensors and 2 devices.').waitFor();
    await page.locator('[data-sensor$="t2"]').getByText('24.1 °C').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(await tooWide(page), 0);

    // Somebody breathes on the second.
    field.measure(read({ t1: 24.1, t2: 26.2, h1: 61 }));
    await page.getByRole('heading', { name: 'Temperature just rose by 2.1 °C' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(await tooWide(page), 0);
    const naming = page.locator('[data-naming$="t2"]');
    const two = thumb();
    const places = naming.getByRole('group', { name: t.controllers.whereIsIt });
    await two.tap(places.locator('label').nth(1));
    const zone = (await places.locator('label').nth(1).textContent()).trim();
    await two.tap(naming.getByRole('button', { name: /, north$/ }));
    assert.equal(two.taps, 2);
    const said = page.getByRole('status').filter({ hasText: /^Saved: Temperature \d+, north/ });
    await said.waitFor();
    const known = await ask('owner', 'GET', `${FARM}/sensors`);
    const named = known.find(({ id, controller }) => controller === MAC && id.endsWith('t2'));
    assert.match(named.name, /^Temperature \d+, north$/);
    assert.equal(named.scope.type, 'zone');
    assert.equal(named.scope.name, zone);
    // The other one that rises comes next; the first is not asked for again while it cools down.
    field.measure(read({ t1: 24.1, t2: 25.5, h1: 88 }));
    await page.getByRole('heading', { name: 'Humidity just rose by 28%' }).waitFor();
    await page.getByRole('button', { name: t.controllers.later }).click();
    await page.locator('[data-naming]').waitFor({ state: 'detached' });

    const row = page.locator('[data-device$="k2"]');
    await row.getByRole('button', { name: 'Run 5 s: K2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run 5 s' }).click();
    await row.getByText('K2 was switched on. Which one ran?').waitFor();
    assert.equal(field.devices.find(({ id }) => id === 'k2').on, true);
    assert.equal(field.devices.find(({ id }) => id === 'k1').on, false);
    await row.getByRole('status').getByRole('button', { name: t.controllers.nameIt }).click();
    await page
      .locator('[data-naming$="k2"]')
      .getByRole('button', { name: /^Fan \d+$/ })
      .click();
    await row.getByText(/^Fan \d+$/).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    field.close();
    assert.deepEqual(complaints, []);
  });

  it('is read from a photo where the camera is refused, and typed where there is none', async () => {
    // Refused is refused: nobody is there to be asked.
    const { page, complaints } = await open({ path: '/automation/controllers?new', language: 'hi' });
    const { scan } = texts('hi');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: scan.open }).click();
    await dialog.getByText(scan.refused).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    const choose = async (text) => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        dialog.getByRole('button', { name: scan.photo }).click(),
      ]);
      await chooser.setFiles({ name: 'code.png', mimeType: 'image/png', buffer: photoOf(text) });
    };
    await choose('https://example.com/no-box');
    await dialog.getByText(scan.notABox).waitFor();
    await choose('HARIT:c3-c3-c3-c3-c3-c3');
    await until(
      'the photo is read',
      async () => (await dialog.locator('[name="macid"]').inputValue()) !== '',
    );
    assert.equal(await dialog.locator('[name="macid"]').inputValue(), 'C3C3C3C3C3C3');
    await dialog.getByText(scan.read.replace('{{mac}}', 'C3C3C3C3C3C3')).waitFor();
    assert.deepEqual(complaints, []);
  });
});

describe('the first hour', { timeout: 120_000 }, () => {
  const home = stage({ viewport: PHONE, still: true });
  const t = texts('mr');

  it('leads from an empty farm on, by what it has, on any phone, and can be put away', async () => {
    const { base } = home.server;
    const session = await registerByApi(base, {
      name: 'Meera Jadhav',
      password: 'polyhouse-start',
      email: `first${Date.now()}@farm.in`,
    });
    await askApi(base, session.token, 'POST', '/auth/complete-onboarding', {});
    session.user = { ...session.user, onboardingCompleted: true };
    const phone = async () => {
      const context = await ownBrowser(home.browser, base, { viewport: PHONE, still: true });
      await keepSession(context, session, 'mr');
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      return { context, page };
    };
    const first = await phone();
    await first.page.goto('/dashboard');
    const line = first.page.locator('[data-first-hour]');
    await line.getByText(t.dashboard.firstHour.next.house).waitFor();
    assert.deepEqual(await accessibilityProblems(first.page), []);
    await line.getByRole('link', { name: t.dashboard.firstHour.open }).click();
    const step = (page, name) => page.locator(`[data-step="${name}"]`);
    await step(first.page, 'house').waitFor();
    assert.equal(await step(first.page, 'house').getAttribute('data-next'), 'true');
    await step(first.page, 'sensors').getByText(t.start.notYet).waitFor();
    assert.deepEqual(await accessibilityProblems(first.page), []);
    assert.equal(await tooWide(first.page), 0);

    // Inviting somebody from here: open, the field, send, and the link is there to be passed on.
    const hand = thumb();
    await hand.tap(step(first.page, 'person').getByRole('link'));
    const dialog = first.page.getByRole('dialog');
    await hand.tap(dialog.locator('[name="contact"]'));
    await first.page.keyboard.type('9876543210');
    await hand.tap(dialog.getByRole('button', { name: t.setup.invite, exact: true }));
    await hand.tap(dialog.getByRole('button', { name: new RegExp(t.form.copy) }).first());
    assert.equal(hand.taps, 4);

    // A house is added elsewhere: another phone goes on from there.
    const [{ id }] = await askApi(base, session.token, 'GET', '/api/farms');
    await askApi(base, session.token, 'POST', `/api/farms/${id}/polyhouses`, { name: 'House 1' });
    const second = await phone();
    await second.page.goto('/start');
    await step(second.page, 'person').waitFor();
    for (const name of ['house', 'person'])
      assert.equal(await step(second.page, name).getAttribute('data-done'), 'true', name);
    assert.equal(await step(second.page, 'controller').getAttribute('data-next'), 'true');
    await second.page.getByRole('button', { name: t.start.away }).click();
    await second.page.getByText(t.start.isAway).waitFor();
    await second.page.goto('/dashboard');
    await second.page.locator('main h1').waitFor();
    await second.page.waitForLoadState('networkidle').catch(() => {});
    assert.equal(await second.page.locator('[data-first-hour]').count(), 0);
    await first.context.close();
    await second.context.close();
  });

  it('is nothing to who looks at a farm at work', async () => {
    const { page, complaints } = await home.open({ path: '/dashboard' });
    await page
      .locator('[data-house]')
      .first()
      .waitFor()
      .catch(() => {});
    assert.equal(await page.locator('[data-first-hour]').count(), 0);
    assert.deepEqual(unexpected(complaints), []);
  });
});
