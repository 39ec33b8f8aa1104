// A Tasmota out of its box: from an account for it to its first chart and its first rule, with a relay that is proven to go off by
// itself, by taps that are counted, and within the time that somebody stands beside it with a phone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide } from './browser.mjs';
import { PHONE, stage } from './stage.mjs';
import { tasmota } from './tasmota.mjs';
import { texts } from './texts.mjs';

const MAC = 'E5E5E5E5E5E5';
const TOPIC = 'fan-north';
const MOST_TAPS = 12;
const WITHIN_MS = 90_000;
/** The lease test: 11 s on, and what it waits for. */
const TESTED_WITHIN_MS = 40_000;

for (const language of ['en', 'hi', 'mr']) {
  describe(`a Tasmota in ${language}`, { timeout: 180_000 }, () => {
    const { open, ask } = stage({ viewport: PHONE, language, still: true });
    const t = texts(language);

    it('is a chart and a rule after twelve taps', async () => {
      const { page, complaints } = await open({ path: '/automation/controllers' });
      const began = Date.now();
      let [taps, typedFields] = [0, 0];
      const tap = async (target) => {
        await target.click();
        taps += 1;
      };
      const sound = async () => {
        assert.deepEqual(await accessibilityProblems(page), []);
        assert.equal(await tooWide(page), 0);
      };
      const dialog = page.getByRole('dialog');
      await tap(page.getByRole('button', { name: t.controllers.add, exact: true }));
      await tap(dialog.locator('[name="macid"]'));
      await page.keyboard.type(MAC);
      typedFields += 1;
      await tap(dialog.locator('label:has([value="POLYHOUSE"])'));
      await tap(dialog.getByRole('button', { name: t.form.save, exact: true }));
      // What stands there is typed into the device's own page, with a topic that says what it switches.
      const account = page.locator(`[data-account="${MAC}"]`);
      const password = await account.locator('[data-password]').textContent();
      const address = await account.locator('dd > span').first().textContent();
      const topic = await account.locator('dd > span').last().textContent();
      const typed = async () => ({ assets: [{ mqtt: { address, username: MAC, password, topic } }] });
      const field = await tasmota(typed, { mac: MAC, topic: TOPIC });
      try {
        await tap(account.getByRole('link', { name: t.controllers.toFound }));
        const relay = page.locator('[data-device$="/POWER"]');
        await tap(relay.locator('button', { hasText: t.controllers.lease.test }));
        await tap(dialog.getByRole('button', { name: t.controllers.lease.yes }));
        const thermometer = page.locator('[data-sensor$="AM2301/Temperature"]');
        const chart = thermometer.getByRole('link', { name: t.controllers.unknown.chart });
        await chart.waitFor();
        const proven = t.controllers.lease.state.proven.replace('{{name}}', '').trim();
        await relay.getByText(proven).waitFor({ timeout: TESTED_WITHIN_MS });
        await sound();
        await tap(chart);
        await page.locator('main svg').first().waitFor();
        assert.match(page.url(), /history\?type=temperature&polyhouse=/);
        const charted = Date.now() - began;
        await sound();
        await tap(page.getByRole('link', { name: t.history.makeRule }));
        // The one usual job of the house is written already.
        await page.locator('[data-slot="device"]', { hasText: TOPIC }).waitFor();
        await tap(page.locator('[data-slot$="value"]').first());
        await tap(dialog.locator('button', { hasText: /^(32|३२)\s°C$/ }).first());
        await dialog.waitFor({ state: 'detached' });
        await sound();
        await tap(page.getByRole('button', { name: t.rules.editor.saveDeploy }));
        await page.locator('[data-rule][data-saved]').waitFor();
        const took = Date.now() - began;
        console.log(
          `${language}: ${taps} taps and ${typedFields} typed field; chart after ${(charted / 1_000).toFixed(1)} s, rule after ${(took / 1_000).toFixed(1)} s`,
        );
        assert.ok(taps <= MOST_TAPS, `${taps} taps`);
        assert.equal(typedFields, 1);
        assert.ok(took <= WITHIN_MS, `${took} ms`);
      } finally {
        field.close();
      }
      const devices = await ask('owner', 'GET', `${FARM}/devices`);
      const fan = devices.find(({ controller }) => controller === MAC);
      assert.deepEqual([fan.type, fan.state.locks], ['fan', []]);
      const rules = await ask('owner', 'GET', `${FARM}/rules`);
      const made = rules.find(({ actions }) => actions.some(({ device_id }) => device_id === fan.id));
      assert.equal(made.deployed, true);
      assert.deepEqual(
        [made.trigger.operator, made.trigger.value, made.stop_condition.value],
        ['gt', 32, 29],
      );
      assert.deepEqual(made.scope.polyhouseId, fan.scope.polyhouseId);
      assert.deepEqual(complaints, []);
    });
  });
}
