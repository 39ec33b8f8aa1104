// The console on a bad line and without one: what the first value costs, what opens without the server, what is said of it, and
// that what could not be loaded comes by itself.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessibilityProblems, until, WITHIN_MS } from './browser.mjs';
import { firstValue, LINES } from './first-value.mjs';
import { PHONE, stage } from './stage.mjs';
import { texts } from './texts.mjs';

/** As much as may come over the line until the first value stands there. */
const FIRST_VALUE_BYTES = 180 * 1024;
/** A connection that is away for less is not worth a sentence (api/live.ts); and a busy machine. */
const SAID_WITHIN_MS = 30_000;

const demo = stage({ viewport: PHONE, still: true });
const bar = (page) => page.locator('[data-connection="lost"]');

/** Waits until a worker has the console's code, and with it what the page loads for later. */
async function kept(page) {
  await until('the worker works', () =>
    page.evaluate(async () => {
      const worker = await navigator.serviceWorker.getRegistration();
      return worker?.active?.state === 'activated' && navigator.serviceWorker.controller !== null;
    }),
  );
}

/** What is kept on the device, by path. */
const keptPaths = (page) =>
  page.evaluate(async () => {
    const found = [];
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) found.push(new URL(url).pathname);
    }
    return found.sort();
  });

describe('a bad line', { timeout: 400_000 }, () => {
  for (const language of ['en', 'hi', 'mr']) {
    it(`brings the first value with few bytes, ${language}`, async () => {
      const session = await demo.session('owner');
      const open = () => firstValue(demo.browser, demo.server.base, session, language, LINES.counted);
      let { cold } = await open();
      // Where a machine has no time to draw, answers that are for later come before.
      for (let more = 2; more > 0 && cold.bytes > FIRST_VALUE_BYTES; more--) ({ cold } = await open());
      const list = cold.requests.map(({ url, bytes }) => `${bytes} ${url}`).join('\n');
      assert.ok(cold.bytes > 50_000, `that is no cold start: ${cold.bytes} bytes\n${list}`);
      assert.ok(cold.bytes <= FIRST_VALUE_BYTES, `${cold.bytes} bytes of ${FIRST_VALUE_BYTES}\n${list}`);
    });
  }

  it('asks for the first values once, beside the code', async () => {
    const asked = [];
    const { page } = await demo.open();
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/dashboard');
    await page.locator('[data-house]').first().waitFor();
    for (const part of ['verdict', 'latest-telemetry', 'devices']) {
      const at = asked.findIndex((path) => path.endsWith(`/${part}`));
      assert.ok(at >= 0 && at < asked.findIndex((path) => path.endsWith('/summary')), part);
      assert.equal(asked.filter((path) => path.endsWith(`/${part}`)).length, 1, `${part} is asked for once`);
    }
  });

  it('keeps code, and no data', async () => {
    const { page } = await demo.open({ path: '/dashboard', serviceWorkers: 'allow' });
    await kept(page);
    await until('the pages are kept too', async () =>
      (await keptPaths(page)).some((path) => path.startsWith('/assets/Tasks-')),
    );
    const others = (await keptPaths(page)).filter((path) => path !== '/' && !path.startsWith('/assets/'));
    assert.deepEqual(others, []);
  });

  for (const language of ['en', 'hi', 'mr']) {
    it(`opens without the server, and says so, ${language}`, async () => {
      const t = texts(language);
      const { page, context } = await demo.open({ path: '/dashboard', language, serviceWorkers: 'allow' });
      await kept(page);
      await page.close();
      await demo.server.stop();
      try {
        const again = await context.newPage();
        await again.goto('/dashboard', { timeout: SAID_WITHIN_MS });
        const said = t.verdict.connectionNone.split('{{time}}').map((part) => part.trim());
        await bar(again).waitFor({ timeout: SAID_WITHIN_MS });
        const words = await bar(again).textContent();
        for (const part of said) assert.ok(words.includes(part), `${words} has ${part}`);
        assert.match(words, /[\d०-९]/);
        assert.equal(await again.locator('[data-house]').count(), 0, 'no value of before');
        assert.equal(await again.locator('[data-live="on"]').count(), 0);
        assert.deepEqual(await accessibilityProblems(again), []);
        await demo.server.start();
        // By itself.
        await again.locator('[data-house]').first().waitFor({ timeout: 60_000 });
        await bar(again).waitFor({ state: 'detached', timeout: 60_000 });
      } finally {
        await demo.server.start().catch(() => undefined);
      }
    });

    it(`says on every page that the connection is lost, ${language}`, async () => {
      const t = texts(language);
      const { page } = await demo.open({ path: '/automation/rules', language });
      await page.locator('main').waitFor();
      await until('it is connected', () =>
        page.evaluate(() => document.querySelector('main')?.dataset.lost === undefined),
      );
      await page.waitForTimeout(3_000);
      await demo.server.stop();
      try {
        await bar(page).waitFor({ timeout: SAID_WITHIN_MS });
        const [before] = t.verdict.connectionLost.split('{{time}}');
        assert.ok((await bar(page).textContent()).includes(before.trim()));
        const drawn = () => page.locator('main').evaluate((main) => getComputedStyle(main).filter);
        assert.equal(await drawn(), 'grayscale(1)', 'what was is grey');
        await demo.server.start();
        await bar(page).waitFor({ state: 'detached', timeout: 60_000 });
        assert.equal(await drawn(), 'none');
      } finally {
        await demo.server.start().catch(() => undefined);
      }
    });
  }

  it('opens a page later whose code did not come, inside the frame', async () => {
    const { page } = await demo.open();
    let isDown = true;
    await page.route(/\/assets\/(Tasks|Users)-/, (route) => (isDown ? route.abort() : route.continue()));
    await page.goto('/dashboard');
    await page.locator('[data-house]').first().waitFor();
    await page.locator('[data-stop-bar] a[href="/tasks"]').click();
    await page.getByText(texts('en').app.notYet).waitFor();
    assert.equal(await page.getByText(texts('en').app.crashed).count(), 0);
    assert.ok(await page.locator('[data-stop-bar]').isVisible(), 'STOP is there');
    await page.locator('[data-stop-bar] a[href="/dashboard"]').click();
    await page.locator('[data-house]').first().waitFor();
    await page.locator('[data-stop-bar] a[href="/tasks"]').click();
    await page.getByText(texts('en').app.notYet).waitFor();
    isDown = false;
    await page.getByRole('heading', { level: 1, name: texts('en').nav.tasks }).waitFor();
  });
});

describe('the switch that takes the worker off', { timeout: 200_000 }, () => {
  it('takes it off the phones with what it kept', async () => {
    const { page } = await demo.open({ path: '/dashboard', serviceWorkers: 'allow' });
    await kept(page);
    assert.ok((await keptPaths(page)).length > 5);
    await demo.server.stop();
    await demo.server.start({ HARIT_SERVER_CONSOLE_OFFLINE: 'false' });
    // The browser looks for another worker each time that a page is opened, some time after that.
    const isGone = async () => {
      await page.goto('/dashboard');
      await page.locator('[data-house]').first().waitFor();
      await page.waitForTimeout(2_000);
      return (await keptPaths(page)).length === 0;
    };
    await until('nothing is kept', isGone, 3 * WITHIN_MS);
    await until('no worker is registered', () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length === 0),
    );
    assert.ok(await page.locator('[data-house]').first().isVisible(), 'the open page goes on');
    await demo.server.stop();
    await demo.server.start();
  });
});
