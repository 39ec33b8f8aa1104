// The dashboard in a real browser against the real server and its simulated farm.
//   HARIT_BIN=../target/release/harit npm run e2e
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { account, FARM } from './api.mjs';
import { accessibilityProblems, changesLive, tooWide, until } from './browser.mjs';
import { PHONE, stage } from './stage.mjs';

const OWNER = account('owner');
const LIVE_WITHIN_MS = 20_000;
/** The simulated tanks drift slowly: the second decimal of a mean takes its time. */
const MOVES_WITHIN_MS = 120_000;

// Whoever comes here signs in by the form, and chooses their language.
const demo = stage({ who: null, language: null });
const { ask } = demo;

let page;
let complaints;

beforeEach(async () => {
  ({ page, complaints } = await demo.open());
});

const badge = (state) => page.locator(`[data-live="${state}"]`);

async function signIn() {
  await page.goto('/');
  await page.waitForURL('**/login');
  await page.getByRole('link', { name: 'Sign in with password' }).click();
  await page.waitForURL('**/login/password');
  await page.getByLabel('Password', { exact: true }).fill(OWNER.password);
  await page.getByLabel('Email or mobile number').fill(OWNER.contact);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/dashboard');
  await page.locator('[data-tile]').first().waitFor();
}

const numerals = () => page.locator('[data-testid$="-value"]').allTextContents();

/** What the server says in paise. */
const MONEY = new Set(['expectedHarvestRevenue', 'inventoryCost', 'salesRevenue']);

describe('the dashboard', { timeout: 300_000 }, () => {
  it('shows a tile for each number of the server, and none for what nothing records', async () => {
    await signIn();
    const summary = await ask('owner', 'GET', `${FARM}/summary`);
    const known = Object.values(summary).filter((value) => value !== null);
    assert.ok(known.length >= 5);
    assert.equal(await page.locator('[data-tile]').count(), known.length);
    for (const [field, value] of Object.entries(summary)) {
      if (value === null) continue;
      const text = await page.locator(`[data-tile="${field}"] [data-write]`).textContent();
      const number = MONEY.has(field) ? value / 100 : value;
      assert.equal(Number(text.replaceAll(/[^0-9.-]/g, '')), Math.round(number), field);
    }
    assert.ok(summary.polyhouses >= 2, 'the demo has two polyhouses');
    assert.deepEqual(complaints, []);
  });

  it('is live, and its values move without a reload', async () => {
    await signIn();
    await badge('on').waitFor();
    const notes = () => page.locator('[data-reading]').allTextContents();
    await changesLive(page, '/latest-telemetry', notes, LIVE_WITHIN_MS);
    const values = await numerals();
    assert.ok(
      values.every((value) => /^\d+\.\d\d$/.test(value)),
      `pH and EC are there: ${values}`,
    );
    await until('a value moves', async () => String(await numerals()) !== String(values), MOVES_WITHIN_MS);
    // Folded from messages about single sensors, the means are still those of the server.
    await until(
      'the means agree with the server',
      async () => {
        const { latest } = await ask('owner', 'GET', `${FARM}/latest-telemetry`);
        const shown = (await numerals()).map(Number);
        return Math.abs(shown[0] - latest.ph.value) < 0.015 && Math.abs(shown[1] - latest.ec.value) < 0.015;
      },
      LIVE_WITHIN_MS,
    );
    assert.deepEqual(complaints, []);
  });

  it('loses and finds its Live badge with the server', async () => {
    await signIn();
    await badge('on').waitFor();
    const tiles = await page.locator('[data-tile]').count();
    await demo.server.stop();
    await badge('off').waitFor();
    assert.equal(await page.getByText('Not live', { exact: true }).isVisible(), true);
    assert.equal(await page.locator('[data-tile]').count(), tiles, 'what is known stays on screen');
    await demo.server.start();
    await badge('on').waitFor({ timeout: 2 * LIVE_WITHIN_MS });
    // Still signed in, and flowing again.
    const before = await page.locator('[data-reading]').allTextContents();
    await until(
      'live values after the restart',
      async () => String(await page.locator('[data-reading]').allTextContents()) !== String(before),
      2 * LIVE_WITHIN_MS,
    );
    assert.match(page.url(), /\/dashboard$/);
    assert.deepEqual(
      complaints.filter(
        (message) => !/ERR_CONNECTION|WebSocket connection|Failed to load resource/.test(message),
      ),
      [],
      'only the browser complains, about the server that was away',
    );
  });

  it('opens the forms of its quick actions, and the history of a reading', async () => {
    await signIn();
    for (const [action, path] of [
      ['Add alert configuration', '/alerts'],
      ['Add task', '/tasks'],
      ['Add user', '/users'],
    ]) {
      await page.getByRole('link', { name: action }).click();
      await page.waitForURL(`**${path}?new*`);
      await page.getByRole('dialog').locator('form').waitFor();
      await page.goBack();
      await page.waitForURL('**/dashboard');
    }
    await page.getByRole('link', { name: 'History of pH' }).click();
    await page.waitForURL('**/history?type=ph');
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('keeps the language over a reload', async () => {
    await signIn();
    await page.getByRole('button', { name: /Switch language to हिन्दी/ }).click();
    await page.getByRole('heading', { name: 'डैशबोर्ड' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'डैशबोर्ड' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'hi');
    assert.deepEqual(complaints, []);
  });

  it('is usable on a phone', async () => {
    await page.setViewportSize(PHONE);
    await signIn();
    assert.ok((await tooWide(page)) <= 0, 'nothing is wider than the screen');
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('button', { name: 'Automation' }).click();
    await page.getByRole('link', { name: 'Manual Control' }).click();
    await page.waitForURL('**/automation/manual');
    await page.getByRole('heading', { name: 'Manual Device Control' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
  });

  for (const scheme of ['light', 'dark']) {
    it(`leaves axe nothing to say, ${scheme}`, async () => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await page.goto('/login');
      await page.getByRole('heading', { name: 'Demo farm' }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'sign-in by code');
      await page.goto('/login/password');
      await page.getByRole('heading', { name: 'Demo farm' }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'sign-in by password');
      await signIn();
      await badge('on').waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'dashboard');
      await page.getByRole('button', { name: /User menu/ }).click();
      await page.getByRole('menuitem', { name: 'Sign Out' }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'user menu');
      await page.keyboard.press('Escape');
      await page.setViewportSize(PHONE);
      await page.getByRole('button', { name: 'Open menu' }).click();
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'menu on a phone');
    });
  }

  it('signs out', async () => {
    await signIn();
    const token = await page.evaluate(() => localStorage.getItem('token'));
    await page.getByRole('button', { name: /User menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign Out' }).click();
    await page.waitForURL('**/login');
    assert.equal(await page.evaluate(() => localStorage.getItem('token')), null);
    const answer = await fetch(`${demo.server.base}/auth/me`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    assert.equal(answer.status, 401, 'the token is worth nothing any more');
    assert.deepEqual(complaints, []);
  });
});
