// STOP in a real browser against the real server, in three languages, on a phone and a desk: from any screen in two taps and
// under two seconds, without a network, and opened again only after the question.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM, openStops } from './api.mjs';
import { accessibilityProblems, hold, tooWide, until } from './browser.mjs';
import { DESK, PHONE, stage } from './stage.mjs';
import { LANGUAGES, texts } from './texts.mjs';

/** From the finger on the button to the request on its way. */
const STOPPED_WITHIN_MS = 2_000;
const HOUSE = 'polyhouse-1';
const VALVE = 'Drip valve, Zone A';

const { ask, open } = stage({ path: '/dashboard', still: true });

const fill = (text, holes) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => holes[name] ?? '');

/** Holds the button until the choice is there; gives the instant at which the finger came down. */
const holdStop = (page, t) =>
  hold(
    page,
    page.getByRole('button', { name: t.stop.button }),
    page.getByRole('dialog', { name: t.stop.choose }),
  );

const house = (page) => page.locator('[data-stop-scope="polyhouse"]').first();

describe('stop', { timeout: 600_000 }, () => {
  for (const language of LANGUAGES) {
    const t = texts(language);
    for (const [look, viewport, who] of [
      ['a phone', PHONE, 'viewer'],
      ['a desk', DESK, 'owner'],
    ]) {
      it(`from any screen in ${language} on ${look}: two taps, under two seconds, confirmed`, async () => {
        for (const path of ['/dashboard', '/automation/rules', '/tasks', '/templates']) {
          const { page, complaints } = await open({ language, viewport, who, path });
          await until('the houses are known', async () =>
            assert.ok(await page.evaluate(() => document.querySelector('main h1, main h2'))),
          );
          const sent = page.waitForRequest(
            (request) => request.url().endsWith('/stop') && request.method() === 'POST',
          );
          const began = await holdStop(page, t);
          await house(page).click();
          await sent;
          const took = Date.now() - began;
          assert.ok(took < STOPPED_WITHIN_MS, `${path}: ${took} ms`);
          await page.locator('[data-stop-state="confirmed"]').waitFor();
          assert.deepEqual(await accessibilityProblems(page), [], path);
          assert.ok((await tooWide(page)) <= 0, path);
          await page.keyboard.press('Escape');
          await page.locator('[data-stop-of]').first().waitFor();
          assert.deepEqual(complaints, []);
          await page.close();
          await openStops(ask);
        }
      });
    }

    it(`without a network, in ${language}: not confirmed at once, and done when it is back`, async () => {
      const { page, context } = await open({ language, viewport: PHONE });
      // The houses are known since the page was opened.
      await holdStop(page, t);
      await house(page).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await context.setOffline(true);
      await holdStop(page, t);
      await house(page).click();
      await page.getByText(t.stop.notConfirmed, { exact: true }).first().waitFor({ timeout: 500 });
      assert.equal(await page.locator('[data-stop-state="confirmed"]').count(), 0);
      await page.waitForTimeout(2_500);
      await page.getByText(t.stop.tryingAgain).first().waitFor();
      await page.getByRole('button', { name: t.form.close }).click();
      await page.locator('[data-stop-order="unanswered"]').waitFor();
      await context.setOffline(false);
      await page.locator('[data-stop-order]').waitFor({ state: 'detached' });
      await until('the house is stopped', async () => {
        const { stops } = await ask('owner', 'GET', `${FARM}/stop`);
        assert.ok(stops[0]?.devices.length > 0);
      });
      await openStops(ask);
    });

    it(`a release is told as done, in ${language}`, async () => {
      const { page, complaints } = await open({
        language,
        path: '/automation/manual',
        ready: '[data-device]',
      });
      await page.getByRole('button', { name: VALVE, exact: true }).click();
      await page.getByRole('button', { name: t.control.action.on, exact: true }).click();
      await page.locator('[data-stage="done"]').waitFor();
      await page.getByText(t.manual.giveBackHint).waitFor();
      await page.getByRole('button', { name: t.manual.giveBack }).click();
      // Whatever the rules want just now.
      const told = (what) => page.getByText(fill(t.manual.givenBack, { what }));
      await told(t.control.off).or(told(t.control.on)).first().waitFor();
      assert.equal(await page.locator('[data-stage="superseded"]').count(), 0);
      assert.deepEqual(complaints, []);
    });
  }

  it('is held by a key, above the panel of a device, for that device alone', async () => {
    const { page, complaints } = await open({
      viewport: PHONE,
      path: '/automation/manual',
      ready: '[data-device]',
    });
    const t = texts('en');
    await page.getByRole('button', { name: VALVE, exact: true }).click();
    await page.getByRole('dialog', { name: VALVE }).waitFor();
    await holdStop(page, t);
    await page.locator('[data-stop-scope="device"]').click();
    await page.locator('[data-stop-state="confirmed"]').waitFor();
    assert.equal(await page.locator('[data-stopped]').count(), 1);
    await page.keyboard.press('Escape');
    await openStops(ask);

    const desk = await open({ path: '/tasks' });
    await desk.page.getByRole('button', { name: t.stop.button }).focus();
    await desk.page.keyboard.down('Enter');
    await desk.page.getByRole('dialog', { name: t.stop.choose }).waitFor();
    await desk.page.keyboard.down('Enter');
    await desk.page.keyboard.up('Enter');
    assert.equal(
      await desk.page.locator('[data-stop-state]').count(),
      0,
      'a key that is still down presses nothing',
    );
    assert.deepEqual([...complaints, ...desk.complaints], []);
  });

  it('opens after the question, and shows what the rules want before it starts', async () => {
    const t = texts('en');
    await ask('viewer', 'POST', `${FARM}/stop`, {
      scope: { type: 'polyhouse', polyhouseId: HOUSE },
      reason: 'arm in the fan',
    });
    const { page, complaints } = await open({ viewport: PHONE });
    const strip = page.locator('[data-stop-of]');
    await strip.getByText(/arm in the fan/).waitFor();
    await strip.getByRole('button', { name: t.control.unlock }).click();
    const dialog = page.getByRole('dialog', { name: t.stop.openTitle });
    await dialog.getByText(t.stop.nobodyThere).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await dialog.getByRole('button', { name: t.stop.nobodyOpen }).click();
    await dialog.locator('[data-follows]').waitFor();
    assert.ok((await dialog.locator('[data-follows-device]').count()) > 1);
    await strip.waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
  });
});
