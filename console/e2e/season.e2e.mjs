// A season played through in a real browser against the real server, in each language, on a phone and at a desk: seedlings are
// sown, transplanted, harvested in three grades and sold, and the store runs low. After each step the dashboard's tiles are right.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { DESK, PHONE, stage } from './stage.mjs';
import { texts } from './texts.mjs';

/** A farm of the demo in which nothing is written down yet. */
const FARM = 'demo-farm-2';

const plays = [
  { language: 'en', viewport: DESK },
  { language: 'hi', viewport: PHONE },
  { language: 'mr', viewport: PHONE },
];

for (const { language, viewport } of plays) {
  describe(`a season in ${language} at ${viewport.width} px`, { timeout: 240_000 }, () => {
    const { open } = stage({ language, viewport, still: true });
    const t = texts(language);

    it('moves the tiles at each step', async () => {
      const { page, context, complaints } = await open();
      await context.addInitScript((farm) => localStorage.setItem('farm', farm), FARM);

      /** The numbers on the tiles that come from what people write down, whatever their digits; undefined for what is not there. */
      const tiles = (expected) =>
        until('the tiles', async () => {
          await page.goto('/dashboard');
          await page.locator('[data-tile="polyhouses"]').waitFor();
          for (const [field, value] of Object.entries(expected)) {
            const [text] = await page.locator(`[data-tile="${field}"] [data-write]`).allTextContents();
            const latin = text?.replaceAll(/[०-९]/g, (digit) => digit.charCodeAt(0) - 0x0966);
            const number = latin === undefined ? undefined : Number(latin.replaceAll(/[^0-9.-]/g, ''));
            assert.equal(number, value, field);
          }
        });

      const form = page.getByRole('dialog');
      const field = (name) => form.locator(`[name="${name}"]`);
      /** Fills fields by their names, chooses the last that can be chosen for `true`, and saves. */
      const save = async (fields) => {
        await form.locator('form').waitFor();
        for (const [name, value] of Object.entries(fields)) {
          const select = await field(name).evaluate((node) => node.tagName === 'SELECT');
          if (value === true) {
            const last = field(name).locator('option').nth(1);
            await last.waitFor({ state: 'attached' });
            await field(name).selectOption(await field(name).locator('option').last().getAttribute('value'));
          } else if (select) await field(name).selectOption(value);
          else await field(name).fill(value);
        }
        await form.getByRole('button', { name: t.form.save, exact: true }).click();
        await form.waitFor({ state: 'detached' });
      };
      /** Writes a new record down on its page. */
      const write = async (path, kind, fields) => {
        await page.goto(`${path}?new-${kind}`);
        await save(fields);
        await page.locator('[data-record]').first().waitFor();
        assert.equal(await tooWide(page), 0, path);
      };
      const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Kolkata' }).format(new Date());

      await tiles({
        nurseries: 0,
        utilizationPercent: 0,
        inventoryAvailablePercent: undefined,
        salesRevenue: undefined,
      });

      await write('/polyhouses/nurseries', 'nurseries', {
        crop: 'Capsicum',
        trays: '10',
        cellsPerTray: '98',
        sownOn: '2026-10-01',
      });
      await tiles({ nurseries: 1 });

      await write('/polyhouses/lifecycles', 'crop-cycles', {
        crop: 'Capsicum',
        variety: 'Indra',
        zoneId: true,
        transplantedOn: today,
        expectedYieldKg: '100',
        expectedPricePaise: '50',
      });
      await tiles({ nurseries: 1, utilizationPercent: 100, expectedHarvestRevenue: 5_000 });

      await page.goto('/polyhouses/nurseries');
      await page.locator('[data-record] button').first().click();
      await save({ germinated: '950', transplanted: '900', transplantedOn: today, cycleId: true });
      await tiles({ nurseries: 0 });

      for (const [grade, weightKg] of [
        ['A', '20.5'],
        ['B', '9.5'],
        ['C', '1'],
      ])
        await write('/harvests', 'harvests', { cycleId: true, weightKg, grade });
      assert.deepEqual(await accessibilityProblems(page), []);
      await tiles({ expectedHarvestRevenue: 3_450 });

      await write('/inventory', 'inventory', {
        name: 'Urea',
        category: 'FERTILISER',
        unit: 'KG',
        lowestStock: '5',
      });
      await write('/inventory', 'stock-movements', {
        itemId: true,
        kind: 'IN',
        quantity: '10',
        costPaise: '300',
      });
      await tiles({ inventoryAvailablePercent: 100, inventoryCost: 300 });
      await write('/inventory', 'stock-movements', { itemId: true, kind: 'OUT', quantity: '6' });
      await page.getByText(t.inventory.low, { exact: true }).first().waitFor();
      await tiles({ inventoryAvailablePercent: 0, inventoryCost: 120 });

      await page.goto('/sales/orders?new-sales');
      await field('buyer').fill('Ramesh');
      await field('lines.0.what').fill('Capsicum');
      await field('lines.0.quantity').fill('20.5');
      await field('lines.0.pricePaise').fill('55.55');
      await form.getByRole('button', { name: t.sales.allPaid, exact: true }).click();
      await form.getByRole('button', { name: t.form.save, exact: true }).click();
      await form.waitFor({ state: 'detached' });
      await page.getByText(t.sales.paidAll, { exact: true }).first().waitFor();
      // 20.5 kg at 55.55 rupees
      await tiles({ salesRevenue: 1_139 });

      await page.goto('/reports');
      await page.getByRole('table').first().waitFor();
      assert.equal(await tooWide(page), 0);
      assert.deepEqual(complaints, []);
    });
  });
}
