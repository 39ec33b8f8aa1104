// A device that no shipped profile knows, put on the network by somebody with a phone: from its account to its first chart, by
// taps that are counted, and within the time that he stands beside it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { PHONE, stage } from './stage.mjs';
import { texts } from './texts.mjs';

const MAC = 'D4D4D4D4D4D4';
const MOST_TAPS = 12;
const WITHIN_MS = 90_000;
const EVERY_MS = 1_000;

for (const language of ['en', 'hi', 'mr']) {
  describe(`an unknown sender in ${language}`, { timeout: 180_000 }, () => {
    const { open, ask } = stage({ viewport: PHONE, language, still: true });
    const t = texts(language);

    it('is a chart after a few taps', async () => {
      const { page, complaints } = await open({ path: '/automation/controllers' });
      const began = Date.now();
      let taps = 0;
      const tap = async (target) => {
        await target.click();
        taps += 1;
      };
      const dialog = page.getByRole('dialog');
      await tap(page.getByRole('button', { name: t.controllers.add, exact: true }));
      await tap(dialog.locator('[name="macid"]'));
      await page.keyboard.type(MAC);
      await tap(dialog.locator('label:has([value="GATEWAY"])'));
      await tap(dialog.getByRole('button', { name: t.form.save, exact: true }));
      const account = page.locator(`[data-account="${MAC}"]`);
      const password = await account.locator('[data-password]').textContent();
      const address = await account.locator('dd > span').first().textContent();
      const topic = await account.locator('dd > span').last().textContent();
      const typed = async () => ({ assets: [{ mqtt: { address, username: MAC, password, topic } }] });

      // A Tasmota whose topics are in another order than the shipped profile has them.
      const field = await fieldController(typed, { name: 'Zigbee', mac: MAC, foreign: true });
      let degrees = 21;
      const publish = () => {
        degrees += 0.1;
        const AM2301 = { Temperature: Number(degrees.toFixed(1)), Humidity: 55, Raw: 7 };
        field.say('bed/tele/SENSOR', JSON.stringify({ Time: '2026-01-02T09:09:44', AM2301, TempUnit: 'C' }));
      };
      publish();
      const publishing = setInterval(publish, EVERY_MS);
      try {
        await tap(dialog.getByRole('button', { name: t.setup.noted }));
        const said = page.getByRole('status').filter({ hasText: t.screen.controller.anyTime });
        await tap(said.getByRole('button', { name: t.form.close }));
        await tap(page.getByRole('link', { name: t.screen.controller.unknownTitle }));
        const group = page.locator('[data-unknown="bed/tele/SENSOR"]');
        await group.waitFor();
        assert.deepEqual(await accessibilityProblems(page), []);
        assert.equal(await tooWide(page), 0);
        const temperature = group.locator('[data-number="AM2301/Temperature"]');
        await tap(temperature.getByRole('button'));
        const taken = page.locator('[data-taken="bed/AM2301/Temperature"]');
        await tap(taken.getByRole('link', { name: t.controllers.unknown.chart }));
        await page.locator('main svg').first().waitFor();
        assert.match(page.url(), /history\?type=temperature/);
        const took = Date.now() - began;
        assert.ok(taps <= MOST_TAPS, `${taps} taps`);
        assert.ok(took <= WITHIN_MS, `${took} ms`);
      } finally {
        clearInterval(publishing);
      }
      const known = await ask('owner', 'GET', `${FARM}/sensors`);
      const sensor = known.find(({ id }) => id === 'bed/AM2301/Temperature');
      assert.equal(sensor.controller, MAC);
      assert.equal(sensor.scope.type, 'farm');
      const houses = await ask('owner', 'GET', `${FARM}/polyhouses`);
      assert.ok(
        houses.every(({ name }) => !name.includes('Gateway')),
        'a gateway makes no polyhouse',
      );
      field.close();
      assert.deepEqual(complaints, []);
    });
  });
}
