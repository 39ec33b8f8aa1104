// What needs the demo's own week: a draft that is tried on it before it is deployed, on a phone and on a desk, in three languages, and
// the programs that ran in it.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide } from './browser.mjs';
import { DESK, PHONE, stage } from './stage.mjs';
import { texts } from './texts.mjs';

const PICTURES = process.env.PICTURES;
if (PICTURES) mkdirSync(PICTURES, { recursive: true });
const DAY_MS = 24 * 3_600_000;
const RULES = `${FARM}/rules`;
/** A week is folded twice, by a server without optimisation. */
const TRIED_WITHIN_MS = 60_000;

const { ask, open } = stage({
  settings: { HARIT_DEMO_HISTORY_DAYS: '7' },
  timeout: 300_000,
  still: true,
});

/** Writes the number of a word of the sentence. */
async function say(page, nth, number, done) {
  await page.locator('[data-sentence] [data-slot="value"]').nth(nth).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('spinbutton').fill(String(number));
  await dialog.getByRole('button', { name: done, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

describe('a draft is tried on the week', { timeout: 400_000 }, () => {
  for (const [viewport, colorScheme] of [
    [PHONE, 'light'],
    [DESK, 'dark'],
  ])
    for (const language of ['en', 'hi', 'mr'])
      it(`on ${viewport.width} px in ${language}`, async () => {
        const stored = async () =>
          (await ask('owner', 'GET', RULES)).map(({ id, etag, deployed }) => [id, etag, deployed]);
        const before = await stored();
        const { rules, why, explained } = texts(language);
        const { page, complaints } = await open({
          path: '/automation/rules?new&scope=polyhouse-1',
          ready: '[data-job="coolFan"]',
          viewport,
          language,
          colorScheme,
        });
        // The usual job is for summer: this week is in winter.
        await page.locator('[data-job="coolFan"]').first().click();
        await say(page, 0, 29, rules.done);
        await say(page, 1, 27, rules.done);
        await page.locator('summary').filter({ hasText: why.explained.try }).click();
        const trial = page.locator('[data-trial]');
        await trial.getByText(explained.days[7], { exact: true }).click();
        const told = page.waitForResponse((response) => response.url().endsWith('/backtests'), {
          timeout: TRIED_WITHIN_MS,
        });
        await trial.getByRole('button', { name: explained.try, exact: true }).click();
        const found = await (await told).json();
        assert.equal(found.approximate, false, 'the journal has the week');
        assert.ok(Math.abs(found.to - found.from - 7 * DAY_MS) < 60_000);
        const of = (run) => run.rules.filter(({ id }) => before.every(([known]) => known !== id));
        const [draft] = of(found.would);
        assert.deepEqual(of(found.was), [], 'it is one that was not there');
        assert.ok(draft.fired >= 3, `on most days it is above 29 °C: ${draft.fired}`);
        const changed = found.would.devices.filter(
          (device, nth) => device.on_ms !== found.was.devices[nth].on_ms,
        );
        assert.ok(changed.length > 0);

        await trial.locator('[data-trial-chart]').waitFor();
        const shown = Math.min(changed.length, 4);
        for (const run of ['wouldBe', 'wasSo'])
          assert.equal(await trial.locator(`[data-run="${run}"]`).count(), shown);
        const figure = await trial.locator('dl dd strong').first().textContent();
        const digits = new Intl.NumberFormat(language === 'mr' ? 'mr-u-nu-deva' : language);
        assert.ok(figure.includes(digits.format(draft.fired)), `${figure} is ${draft.fired}`);
        assert.deepEqual(await accessibilityProblems(page), []);
        assert.ok((await tooWide(page)) <= 0);
        if (PICTURES) await trial.screenshot({ path: `${PICTURES}/trial-${viewport.width}-${language}.png` });

        assert.deepEqual(await stored(), before, 'nothing was saved');
        assert.deepEqual(complaints, []);
      });
});

describe('the programs of the demo', { timeout: 120_000 }, () => {
  for (const [of, device, rule] of [
    ['drip by shift', 'ph1-drip-b', 'Morning drip in Polyhouse 1, by shift'],
    ['the fogger by vapour pressure deficit', 'ph1-fog', 'Fog Polyhouse 1 above 2.2 kPa VPD'],
    ['vents by a curve', 'ph1-vent', 'Open the roof vents as Polyhouse 1 warms'],
  ])
    it(`ran by themselves, and the days show it: ${of}`, async () => {
      const to = Date.now();
      // On some mornings another rule has the valve already.
      const path = `${FARM}/devices/${device}/history?from=${to - 6 * DAY_MS}&to=${to}`;
      const { segments } = await ask('viewer', 'GET', path);
      const ran = segments.filter(
        ({ on, cause, by, until }) => on && cause === 'rule' && by === rule && until,
      );
      assert.ok(ran.length >= 3, `${ran.length} times in six days`);
      // One start in the morning, or a position for each temperature.
      const minutes = new Set(
        ran.map(({ at }) => new Date(at + 5.5 * 3_600_000).toISOString().slice(11, 16)),
      );
      if (device === 'ph1-drip-b') assert.deepEqual([...minutes], ['06:03']);
      if (device === 'ph1-vent') assert.ok(new Set(ran.map(({ value }) => value)).size >= 4);

      const { at, until, value } = ran.at(-1);
      const { page, complaints } = await open({
        path: `/day?device=${device}&at=${Math.floor((at + until) / 2)}`,
        viewport: PHONE,
      });
      const decides = page.locator('[data-card] [data-decides]');
      await decides.waitFor();
      const told = await decides.textContent();
      assert.ok(told.includes(rule), told);
      if (value !== null) assert.ok(told.includes(`${value}%`), told);
      assert.deepEqual(complaints, []);
    });
});
