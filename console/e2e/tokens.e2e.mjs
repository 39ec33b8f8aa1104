// Tokens and accounts that read by MQTT, in a real browser against the real server: a token is made, works, and is ended; an
// account is made, blocked and removed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessibilityProblems, tooWide } from './browser.mjs';
import { DESK, PHONE, stage } from './stage.mjs';
import { texts } from './texts.mjs';

for (const { language, viewport } of [
  { language: 'en', viewport: DESK },
  { language: 'hi', viewport: PHONE },
]) {
  describe(`tokens in ${language} at ${viewport.width} px`, { timeout: 120_000 }, () => {
    const { open, ask } = stage({ language, viewport, still: true });
    const { tokens: t, setup, form, screen } = texts(language);

    it('are made, shown once, used and ended', async () => {
      const { page, complaints } = await open({ path: '/tokens?new-token' });
      const dialog = page.getByRole('dialog');
      await dialog.locator('[name="name"]').fill('Grafana');
      await dialog.getByRole('button', { name: t.make, exact: true }).click();
      const secret = await dialog.locator('code').textContent();
      assert.match(secret, /^harit_[0-9a-f]{72}$/);
      assert.deepEqual(await accessibilityProblems(page), []);
      assert.equal(await tooWide(page), 0);
      await dialog.getByRole('button', { name: setup.noted }).click();
      const row = page.locator(`[data-token="${secret.slice(0, 12)}"]`);
      await row.getByText(t.never).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      assert.equal(await tooWide(page), 0);
      const address = new URL('/api/farms', page.url());
      const asked = () => fetch(address, { headers: { authorization: `Bearer ${secret}` } });
      assert.equal((await asked()).status, 200);
      await row.getByRole('button', { name: t.endOf.replace('{{name}}', 'Grafana') }).click();
      await dialog.getByRole('button', { name: t.end, exact: true }).click();
      await row.waitFor({ state: 'detached' });
      assert.equal((await asked()).status, 401);
      assert.deepEqual(complaints, []);
    });

    it('has accounts that read by MQTT beside them', async () => {
      const { page, complaints } = await open({ path: '/tokens?new-integration' });
      const dialog = page.getByRole('dialog');
      await dialog.locator('[name="name"]').fill('Logger');
      await dialog.getByRole('button', { name: form.save, exact: true }).click();
      await dialog.locator('code').nth(3).waitFor();
      const lines = await dialog.locator('code').allTextContents();
      assert.match(lines[1], /^integration-[0-9a-f]{12}$/);
      assert.equal(lines[3], 'harit/1/demo-farm-1/#');
      await dialog.getByRole('button', { name: setup.noted }).click();
      const row = page.locator(`[data-integration="${lines[1]}"]`);
      await row.getByText(t.mayConnect).waitFor();
      assert.equal(await tooWide(page), 0);
      await row.getByRole('button', { name: screen.deleteOf.replace('{{name}}', 'Logger') }).click();
      await dialog.getByRole('button', { name: screen.delete, exact: true }).click();
      await row.waitFor({ state: 'detached' });
      const left = await ask('owner', 'GET', '/api/farms/demo-farm-1/integrations');
      assert.deepEqual(left.integrations, []);
      assert.deepEqual(complaints, []);
    });
  });
}
