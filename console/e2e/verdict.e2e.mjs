// A bad day, told: a controller that is gone, a machine that its panel locked, a sensor that was never heard, a pump by hand.
// Each is said on the first screen, in three languages, on a phone and on a desk; and nothing is called well.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { DESK, PHONE, stage } from './stage.mjs';

const demo = stage();
const { ask } = demo;
const TOLD_WITHIN_MS = 30_000;

const words = {
  en: { unknown: 'Not known', well: 'OK', hand: 'manual control until', locked: 'locked at its own panel' },
  hi: { unknown: 'पता नहीं', well: 'सब ठीक', hand: 'मैनुअल चालू', locked: 'पैनल से ताला' },
  mr: { unknown: 'माहीत नाही', well: 'सर्व ठीक', hand: 'मॅन्युअल चालू', locked: 'पॅनेलवरून कुलूप' },
};

const verdict = () => ask('owner', 'GET', `${FARM}/verdict`);
const kinds = ({ farm }) => farm.reasons.map(({ what }) => what.kind);

describe('a bad day', { timeout: 300_000 }, () => {
  before(async () => {
    const field = { sensors: [{ id: 'air', type: 'temperature' }] };
    const vents = {
      id: 'vents',
      name: 'Back vents',
      type: 'vent',
      on: false,
      value: 0,
      lock: 'wind',
      safety: false,
    };
    const pump = {
      id: 'pump',
      name: 'Back pump',
      type: 'pump',
      on: false,
      value: 0,
      lock: null,
      safety: false,
    };
    await fieldController(ask, { ...field, name: 'Back house', mac: 'B827EB00C0D1', devices: [vents, pump] });
    const gone = { id: 'fan', name: 'Far fan', type: 'fan', on: false, value: 0, lock: null, safety: false };
    const far = await fieldController(ask, { name: 'Far house', mac: 'B827EB00C0D2', devices: [gone] });
    let byHand;
    await until(
      'the devices are known',
      async () => {
        const devices = await ask('owner', 'GET', `${FARM}/devices`);
        byHand = devices.find(({ name }) => name === 'Back pump');
        return byHand && devices.some(({ name }) => name === 'Far fan');
      },
      TOLD_WITHIN_MS,
    );
    far.goOffline();
    await ask('owner', 'POST', `${FARM}/commands`, {
      cmd_type: 'override',
      device_id: byHand.id,
      action: { action: 'on' },
      duration_sec: 900,
      reason: 'Filling the tank',
    });
    await until(
      'each is told',
      async () => {
        const told = kinds(await verdict());
        return ['controller_offline', 'no_signal', 'locked', 'override'].every((kind) => told.includes(kind));
      },
      TOLD_WITHIN_MS,
    );
  });

  for (const [name, viewport] of [
    ['a phone', PHONE],
    ['a desk', DESK],
  ]) {
    for (const language of ['en', 'hi', 'mr']) {
      it(`is told on ${name} in ${language}`, async () => {
        const { page, complaints } = await demo.open({ path: '/dashboard', viewport, language });
        const panel = page.locator('[data-farm-verdict="not_known"]');
        await panel.waitFor({ timeout: TOLD_WITHIN_MS });
        const said = await panel.textContent();
        assert.match(said, new RegExp(words[language].unknown));
        assert.ok(!said.startsWith(words[language].well), said);
        assert.match(said, /B827EB00C0D2/, 'the controller that is gone');
        // The houses follow, the worst first: what is silent is hatched, what is by hand stands as that.
        const houses = page.locator('[data-house]');
        await houses.filter({ hasText: 'Back pump' }).locator('[data-manual]').waitFor();
        const verdicts = await houses
          .locator('[data-verdict]')
          .evaluateAll((marks) => marks.map((mark) => mark.dataset.verdict));
        assert.equal(verdicts[0], 'not_known', verdicts.join());
        assert.equal(verdicts.at(-1), 'well', verdicts.join());
        const back = houses.filter({ hasText: 'Back house' });
        assert.equal(await back.locator('[data-heat]').count(), 0, 'nothing is drawn of what is not known');
        assert.equal(await back.locator('rect[fill^="url("]').count(), 1);
        assert.ok((await tooWide(page)) <= 0, 'nothing is wider than the screen');
        assert.deepEqual(await accessibilityProblems(page, '#content'), []);
        assert.deepEqual(complaints, []);
      });
    }
  }

  it('is told of each house, with its reasons', async () => {
    const { page } = await demo.open({ path: '/polyhouses' });
    const back = page.locator('[data-polyhouse]').filter({ hasText: 'Back house' });
    await back.locator('[data-verdict="not_known"]').waitFor();
    await back.getByRole('link', { name: 'Details' }).click();
    for (const text of [words.en.locked, words.en.hand]) await page.getByText(text).first().waitFor();
  });

  it('says since when there is no connection, and then knows nothing', async () => {
    const { page } = await demo.open({ path: '/dashboard' });
    await page.locator('[data-live="on"]').waitFor();
    await demo.server.stop();
    try {
      await page.getByText(/No connection since .* · showing/).waitFor({ timeout: TOLD_WITHIN_MS });
      await page.getByText(/Farm status is not known: no answer since/).waitFor();
      assert.equal(await page.getByText('In range', { exact: true }).count(), 0);
      await page
        .getByRole('navigation')
        .getByRole('link', { name: /^Tasks/ })
        .click();
      await page.getByText(/No connection since .* · showing/).waitFor();
    } finally {
      await demo.server.start();
    }
    await page.getByText(/No connection since/).waitFor({ state: 'detached', timeout: 2 * TOLD_WITHIN_MS });
  });
});
