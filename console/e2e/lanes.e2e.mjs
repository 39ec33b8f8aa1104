// The day of a device and of a house as lanes in a real browser against the real server, in three languages on a phone and on a desk:
// from a notification to the sentence that explains the instant in three taps, the line moved by keys and by a finger, and an
// address that can be sent.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { DESK, PHONE, stage } from './stage.mjs';

const PICTURES = process.env.PICTURES;
if (PICTURES) mkdirSync(PICTURES, { recursive: true });
const picture = (page, name) =>
  PICTURES && page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true, animations: 'disabled' });
/** The simulated sensors send a few readings a minute. */
const RAISED_WITHIN_MS = 90_000;

let fan;
const { ask, open } = stage({
  still: true,
  timeout: 150_000,
  prepare: async () => {
    const devices = await ask('owner', 'GET', `${FARM}/devices`);
    fan = devices.find(({ type, scope }) => type === 'fan' && scope.polyhouseId === 'polyhouse-1');
    assert.ok(fan, 'the demo has a fan in its first house');
    await ask('owner', 'POST', `${FARM}/rules`, {
      name: 'Air always',
      scope: { type: 'polyhouse', polyhouseId: 'polyhouse-1' },
      mode: 'auto',
      deployed: true,
      trigger: { sensor_type: 'temperature', operator: 'gt', value: 0, duration_sec: 1 },
      actions: [{ device_id: fan.id, command: { action: 'on' } }],
    });
    await until(
      'the rule has the fan run',
      async () => (await ask('owner', 'GET', `${FARM}/devices`)).find(({ id }) => id === fan.id).state.on,
      RAISED_WITHIN_MS,
    );
    const { id } = await ask('owner', 'POST', `${FARM}/alerts`, {
      name: 'Too warm here',
      repeatsIn: 30,
      repeatUnit: 'minutes',
      channels: [],
      severity: 'critical',
      scope: fan.scope,
      conditions: [{ sensor: 'Temperature', operator: '>', value: 0, unit: '°C' }],
      subscribers: [{ email: 'owner@demo.harit' }],
    });
    await until(
      'the alert is raised',
      async () => (await ask('owner', 'GET', `${FARM}/alerts/${id}`)).status.incident ?? false,
      RAISED_WITHIN_MS,
    );
  },
});

const bell = (page) => page.locator('header button').filter({ has: page.locator('.tabler-icon-bell') });
const card = (page) => page.locator('[data-card]');

describe('the day of a device', { timeout: 400_000 }, () => {
  for (const [viewport, scheme] of [
    [PHONE, 'light'],
    [DESK, 'dark'],
  ])
    for (const language of ['en', 'hi', 'mr'])
      it(`is three taps from a notification, on ${viewport.width} px in ${language}`, async () => {
        const { page, complaints } = await open({
          path: '/dashboard',
          viewport,
          language,
          colorScheme: scheme,
        });
        let taps = 0;
        const tap = async (locator) => {
          taps += 1;
          await locator.click();
        };
        const toAlert = async () => {
          await tap(bell(page));
          await tap(page.getByRole('link').filter({ hasText: 'Too warm here' }).first());
        };
        await toAlert();
        await tap(page.locator(`a[href*="/day?device=${encodeURIComponent(fan.id)}"]`).first());
        const decides = card(page).locator('[data-decides]');
        await decides.waitFor();
        assert.equal(taps, 3);
        assert.match(page.url(), /[?&]device=.*[?&]at=\d+/);
        assert.match(await decides.textContent(), /Air always/);
        for (const kind of ['decides', 'online', 'phase', 'truth'])
          await page.locator(`[data-lane="${kind}"]`).first().waitFor();
        assert.ok((await tooWide(page)) <= 0);
        assert.deepEqual(await accessibilityProblems(page), []);
        await picture(page, `lanes-${viewport.width}-${language}`);

        // The whole house is as near, with every device that somebody wanted something of.
        await page.goto('/dashboard');
        taps = 0;
        await toAlert();
        await tap(page.locator(`a[href*="/day?house=${fan.scope.polyhouseId}"]`).first());
        const wanted = card(page).locator(`[data-wanted="${fan.id}"]`);
        await wanted.waitFor();
        assert.equal(taps, 3);
        assert.match(await wanted.textContent(), /Air always/);
        await page.locator(`[data-device="${fan.id}"][data-decides="claim"]`).waitFor();
        assert.ok((await tooWide(page)) <= 0);
        assert.deepEqual(await accessibilityProblems(page), []);
        await picture(page, `house-${viewport.width}-${language}`);
        assert.deepEqual(complaints, []);
      });

  it('of a house folds what did nothing, and leads to each device at the same instant', async () => {
    const { page, complaints } = await open({
      path: `/day?house=${fan.scope.polyhouseId}&at=${Date.now()}`,
      viewport: PHONE,
      ready: '[data-device]',
    });
    const day = await ask('owner', 'GET', `${FARM}/polyhouses/${fan.scope.polyhouseId}/lanes`);
    const all = new Set(day.lanes.filter(({ kind }) => kind === 'decides').map(({ of }) => of));
    const rows = page.locator('[data-device]');
    const before = await rows.count();
    assert.ok(before < all.size, `${before} of ${all.size} are shown`);
    await page.locator('[data-folded]').first().click();
    await rows.nth(all.size - 1).waitFor();
    assert.equal(await rows.count(), all.size);
    await page.locator(`[data-device="${fan.id}"]`).getByRole('link').click();
    await page.locator('[data-lane="decides"]').waitFor();
    assert.match(page.url(), /[?&]device=.*[?&]at=\d+/);
    assert.deepEqual(complaints, []);
  });

  it('moves by keys and by a finger; the card and the address follow, and the address can be sent', async () => {
    const { page, complaints } = await open({
      path: `/day?device=${encodeURIComponent(fan.id)}`,
      viewport: PHONE,
      hasTouch: true,
    });
    await page.locator('[data-lane="decides"][data-state="claim"]').waitFor();
    const slider = page.getByRole('slider');
    const before = Number(await slider.getAttribute('aria-valuenow'));
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/[?&]at=\d+/);
    assert.ok(Number(await slider.getAttribute('aria-valuenow')) < before);
    assert.match(await slider.getAttribute('aria-valuetext'), /Decides/);
    const drawing = page.locator('[data-lane="decides"] canvas');
    const box = await drawing.boundingBox();
    await page.touchscreen.tap(box.x + box.width / 4, box.y + box.height / 2);
    await until('the line is at a quarter', async () => {
      const [at, from, to] = await Promise.all(
        ['now', 'min', 'max'].map(async (each) => Number(await slider.getAttribute(`aria-value${each}`))),
      );
      return Math.abs((at - from) / (to - from) - 0.25) < 0.02;
    });
    await page.getByText('As a table').click();
    await page.getByRole('table').first().waitFor();
    const other = await open({
      path: new URL(page.url()).pathname + new URL(page.url()).search,
      who: 'viewer',
    });
    await other.page.locator('[data-lane="decides"]').waitFor();
    assert.deepEqual(complaints, []);
  });

  it('of a device that is not there says so', async () => {
    const { page } = await open({ path: '/day?device=none', ready: 'main h1, main h2' });
    await page.getByText('It is not there, or you may not see it.').waitFor();
  });
});
