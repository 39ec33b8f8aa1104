// A controller after the first day, in a real browser against the real server: it is added, heard, loses its password and gets
// another, is named and removed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessibilityProblems, tooWide } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { DESK, PHONE, stage } from './stage.mjs';
import { texts } from './texts.mjs';

const MAC = 'A1A1A1A1A1A1';
const devices = [
  { id: 'fan', type: 'fan', name: 'Fan', supportedActions: [{ action: 'on' }], on: false, value: 0 },
];
const sensors = ['t1', 't2'].map((id) => ({ id, type: 'temperature', unit: '°C' }));

for (const { language, viewport } of [
  { language: 'en', viewport: DESK },
  { language: 'mr', viewport: PHONE },
]) {
  describe(`a controller in ${language} at ${viewport.width} px`, { timeout: 120_000 }, () => {
    const { open, ask } = stage({ language, viewport, still: true });
    const t = texts(language).controllers;
    const { setup, form, screen } = texts(language);

    it('is added at any time, heard, renewed, named and removed', async () => {
      const { page, complaints } = await open({ path: '/automation/controllers?new' });
      const dialog = page.getByRole('dialog');
      await dialog.locator('[name="macid"]').fill('a1-a1-a1-a1-a1-a1');
      await dialog.locator('[name="type"][value="POLYHOUSE/polyhouse-1"]').check();
      await dialog.locator('[name="name"]').fill('Gate box');
      await dialog.getByRole('button', { name: form.save, exact: true }).click();
      const account = page.locator(`[data-account="${MAC}"]`);
      await account.getByText(screen.controller.waiting).waitFor();
      await account.locator('svg[role="img"]').waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      assert.equal(await tooWide(page), 0);

      const password = await account.locator('[data-password]').textContent();
      const address = await account.locator('dd > span').first().textContent();
      const topic = await account.locator('dd > span').last().textContent();
      // The controller is typed in as the window says it.
      const typed = async () => ({ assets: [{ mqtt: { address, username: MAC, password, topic } }] });
      const field = await fieldController(typed, { name: 'Gate box', mac: MAC, devices, sensors });
      const found = screen.controller.arrived.slice(0, screen.controller.arrived.indexOf('{{'));
      await account.getByText(found).waitFor();
      await dialog.getByRole('button', { name: setup.noted }).click();
      await account.waitFor({ state: 'detached' });
      // On a phone it lies above the page until it is closed.
      const said = page.getByRole('status').filter({ hasText: screen.controller.anyTime });
      await said.getByRole('button', { name: form.close }).click();
      await said.waitFor({ state: 'detached' });
      const row = page.locator(`[data-controller="${MAC}"]`);
      await row.getByText(screen.controller.online, { exact: true }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      assert.equal(await tooWide(page), 0);

      await row.getByRole('button', { name: t.newPasswordOf.replace('{{name}}', 'Gate box') }).click();
      await dialog.getByRole('button', { name: t.newPassword, exact: true }).click();
      await account.getByText(screen.controller.waiting).waitFor();
      assert.notEqual(await account.locator('[data-password]').textContent(), password);
      await page.keyboard.press('Escape');
      await account.waitFor({ state: 'detached' });
      await said.getByRole('button', { name: form.close }).click();
      await row.getByText(t.passwordUnused).waitFor();
      field.close();

      await row.getByRole('button', { name: screen.editOf.replace('{{name}}', 'Gate box') }).click();
      await dialog.locator('[name="name"]').fill('Door box');
      await dialog.getByRole('button', { name: form.save, exact: true }).click();
      await row.getByText('Door box').waitFor();
      await row.getByRole('button', { name: screen.deleteOf.replace('{{name}}', 'Door box') }).click();
      await dialog.getByRole('button', { name: t.remove, exact: true }).click();
      await row.waitFor({ state: 'detached' });
      // What it had is left to be removed.
      await page.getByRole('heading', { name: t.gone }).waitFor();
      const left = await ask('owner', 'GET', '/api/farms/demo-farm-1/controllers');
      assert.ok(left.every(({ macid }) => macid !== MAC));
      assert.deepEqual(complaints, []);
    });
  });
}
