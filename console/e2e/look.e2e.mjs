// How the console looks, in a real browser: the type that a page asks for, the scheme for the sun, both kinds of digits, and what
// moves.
//   HARIT_BIN=../target/release/harit node --test e2e/look.e2e.mjs
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessibilityProblems } from './browser.mjs';
import { DESK, PHONE, stage } from './stage.mjs';
import { texts } from './texts.mjs';

const demo = stage({ who: 'owner' });

const typeOf = (page) =>
  page.evaluate(async () => {
    await document.fonts.ready;
    return performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.woff2'))
      .map(({ name, encodedBodySize, transferSize }) => ({
        script: /anek-(\w+)/.exec(name)?.[1],
        size: encodedBodySize,
        isKept: transferSize === 0,
      }));
  });

describe('the look', { timeout: 240_000 }, () => {
  it('asks for the type of the script that a page is written in, and for less than 115 kB of it', async () => {
    for (const [language, scripts] of [
      ['en', ['latin']],
      ['mr', ['devanagari', 'latin']],
    ]) {
      const { page } = await demo.open({ language, viewport: DESK });
      await page.goto('/automation/manual');
      await page.locator('main [data-device]').first().waitFor();
      // A first page does without, and fetches it for the next start.
      await page.waitForFunction(() => localStorage.getItem('has-fonts') !== null);
      const fetched = await typeOf(page);
      assert.equal(
        await page.evaluate(() => [...document.fonts].some(({ family }) => family === 'Anek')),
        false,
      );
      await page.reload();
      await page.locator('main [data-device]').first().waitFor();
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      const type = await typeOf(page);
      assert.deepEqual(type.map(({ size }) => size).sort(), fetched.map(({ size }) => size).sort(), language);
      assert.ok(
        type.every(({ isKept }) => isKept),
        `${language}: fetched twice`,
      );
      assert.deepEqual([...new Set(type.map(({ script }) => script))].sort(), scripts, language);
      const weight = type.reduce((sum, { size }) => sum + size, 0);
      assert.ok(weight < 115_000, `${language}: ${weight} bytes of type`);
    }
  });

  it('has a scheme for the sun, which is remembered and has no contrast below the others', async () => {
    const { page } = await demo.open({ language: 'en', viewport: PHONE });
    await page.goto('/profile');
    const t = texts('en');
    await page.getByRole('button', { name: new RegExp(t.header.userMenu) }).click();
    await page.getByRole('menuitemradio', { name: t.header.sunlight }).click();
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), 'rgb(255, 255, 255)');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.locator('h1').waitFor();
    assert.equal(await ground(), 'rgb(255, 255, 255)');
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(0, 0, 0)');
    assert.deepEqual(await accessibilityProblems(page), []);
  });

  it('takes Devanagari digits where a number is typed', async () => {
    const { page } = await demo.open({ language: 'mr', viewport: PHONE });
    await page.goto('/reservoirs?new');
    const field = page.getByRole('dialog').locator('input[type=number]').first();
    await field.focus();
    await page.keyboard.insertText('१२५०');
    assert.equal(await field.inputValue(), '1250');
  });

  it('turns what says itself that it runs, and nothing for who wants no motion', async () => {
    const { page } = await demo.open({ language: 'en', viewport: PHONE });
    await page.goto('/automation/manual');
    await page.locator('main [data-device]').first().waitFor();
    const moving = () =>
      page.evaluate(() =>
        document
          .getAnimations()
          .map(({ effect }) => effect?.target?.closest('[data-does]')?.getAttribute('data-does'))
          .filter(Boolean),
      );
    const running = await page.locator('main [data-does="on"]').count();
    assert.deepEqual([...new Set(await moving())], running > 0 ? ['on'] : []);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    assert.deepEqual(await moving(), []);
  });
});
