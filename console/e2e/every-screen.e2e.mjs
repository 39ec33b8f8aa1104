// Every screen in every language: nothing that axe or the browser's console complains about, nothing wider than a phone, and
// the language changes while one looks.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { accessibilityProblems, keepSession, ownBrowser, tooWide, watchConsole } from './browser.mjs';
import { pages } from './pages.mjs';
import { cast, complaintsAbout, contextOf, screens, show, strayScreens } from './screens.mjs';
import { ALL_LOOKS, LOOKS, nameOf, stage } from './stage.mjs';
import { LANGUAGES, texts } from './texts.mjs';

const WITHIN_MS = 30_000;
/** A screen takes one of the looks in turn, or all. */
const takes = (screen, look) => ALL_LOOKS || screen % LOOKS.length === look;

let people;

const demo = stage({
  prepare: async () => {
    people = await cast(demo.server.base);
  },
});

/** Somebody's browser: a person keeps it from screen to screen. */
const browserOf = (who, language, look) =>
  contextOf(demo.browser, demo.server.base, people, who, language, look);

it('every route is among the screens', () => {
  assert.deepEqual(strayScreens(), []);
  assert.ok(screens.length > 70, `the table of pages is read: ${screens.length} screens`);
});

describe('every screen', { timeout: 1_800_000 }, () => {
  for (const [nth, look] of LOOKS.entries()) {
    const { language, scheme } = look;
    const { width } = look.viewport;
    describe(nameOf(look), () => {
      // Each person stays in one window.
      const windows = new Map();
      after(async () => {
        for (const page of windows.values()) await page.context().close();
      });
      for (const [place, screen] of screens.entries()) {
        if (screen.narrow || screen.wide ? width < 992 !== Boolean(screen.narrow) : !takes(place, nth))
          continue;
        it(screen.name, async () => {
          if (!windows.has(screen.who)) {
            const context = await browserOf(screen.who, language, { width, scheme });
            windows.set(screen.who, await context.newPage());
          }
          const page = windows.get(screen.who);
          page.setDefaultTimeout(WITHIN_MS);
          page.removeAllListeners();
          // What the screen before still asks is not said of this one.
          await page.goto('about:blank');
          await page.unrouteAll();
          const messages = watchConsole(page);
          await show(page, screen, people, language);
          const wider = await tooWide(page);
          assert.ok(wider <= 0, `the page is ${wider} px wider than the window`);
          assert.deepEqual(await accessibilityProblems(page), []);
          assert.equal(await page.locator('html').getAttribute('lang'), language);
          assert.ok((await page.title()).endsWith(texts(language).app.name), 'the tab has a name');
          assert.deepEqual(complaintsAbout(screen, messages), []);
        });
      }
    });
  }

  for (const [name, who, path] of [
    ['a sign-in page', undefined, '/login'],
    ['onboarding', 'newcomer', '/onboarding/assets'],
    ['the application', 'owner', '/dashboard'],
    ['the demo of the menu', undefined, '/sidebar-demo'],
  ]) {
    it(`${name} changes its language while one looks, and keeps it`, async () => {
      const context = await browserOf(who, 'en', { width: 390, scheme: 'light' });
      // The language is stored by the page from now on.
      const page = await context.newPage();
      page.setDefaultTimeout(WITHIN_MS);
      const messages = watchConsole(page);
      await page.goto(path);
      for (const language of [...LANGUAGES.slice(1), LANGUAGES[0]]) {
        const heading = await page.getByRole('heading', { level: 1 }).textContent();
        await page.getByRole('button', { name: texts(language).language.name }).click();
        await page.locator(`html[lang=${language}]`).waitFor();
        assert.notEqual(await page.getByRole('heading', { level: 1 }).textContent(), heading);
        assert.equal(await page.evaluate(() => localStorage.getItem('language')), language);
      }
      assert.deepEqual(messages, []);
      await context.close();
    });
  }
});

/** At 200 % on a screen of 1280 by 1024 pixels. */
const ZOOMED = { viewport: { width: 640, height: 512 }, deviceScaleFactor: 2, still: true };

/** What of the page's text is cut off at a side, and by how much the page is too wide. */
function cutOff() {
  const isScrolled = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement)
      if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  const isHeardOnly = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { clipPath, clip, overflow } = getComputedStyle(at);
      const { width, height } = at.getBoundingClientRect();
      if (clipPath !== 'none' || clip !== 'auto' || (overflow !== 'visible' && width * height <= 4))
        return true;
    }
    return false;
  };
  const found = [];
  const wider = document.documentElement.scrollWidth - window.innerWidth;
  if (wider > 0) found.push(`the page is ${wider} px wider than the window`);
  for (const element of document.querySelectorAll('main *, [role=dialog] *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!hasText || !element.checkVisibility() || isHeardOnly(element) || isScrolled(element)) continue;
    const { left, right } = element.getBoundingClientRect();
    if (left < -1 || right > window.innerWidth + 1) found.push(`outside: ${element.textContent.trim()}`);
  }
  return found;
}

describe('at 200 %', { timeout: 300_000 }, () => {
  it('every page of the application is whole, without scrolling sideways', async () => {
    const contexts = [];
    for (const language of LANGUAGES) {
      const context = await ownBrowser(demo.browser, demo.server.base, ZOOMED);
      await keepSession(context, people.sessions.owner, language);
      const page = await context.newPage();
      page.setDefaultTimeout(WITHIN_MS);
      contexts.push({ context, page });
    }
    const paths = pages.filter(({ layout }) => layout === 'main').map(({ paths: [path] }) => path);
    for (const [nth, path] of paths.filter((each) => !each.includes(':')).entries()) {
      const { page } = contexts[nth % contexts.length];
      await page.goto(path);
      await page.locator('main h1').waitFor({ state: 'attached' });
      await page
        .locator('main [aria-busy=true], main .mantine-Skeleton-root')
        .first()
        .waitFor({ state: 'detached' });
      assert.deepEqual(await page.evaluate(cutOff), [], path);
    }
    for (const { context } of contexts) await context.close();
  });
});

describe('the installed console', { timeout: 60_000 }, () => {
  it('finds its manifest, its icons and whatever else is asked for by name', async () => {
    const manifest = await (await fetch(`${demo.server.base}/manifest.webmanifest`)).json();
    const asked = [...manifest.icons.map(({ src }) => src), '/favicon.svg', '/icons/apple-touch-icon.png'];
    for (const path of asked) {
      const answer = await fetch(`${demo.server.base}${path}`);
      assert.equal(answer.status, 200, path);
      assert.match(answer.headers.get('content-type') ?? '', /^image\//, path);
    }
    const answer = await fetch(`${demo.server.base}/manifest.webmanifest`);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/manifest\+json/);
  });

  it('has icons that look like icon.svg', async () => {
    const { draw, icons } = await import('../scripts/icons.mjs');
    const svg = readFileSync(new URL('../public/icon.svg', import.meta.url), 'utf8');
    const page = await demo.browser.newPage();
    for (const icon of icons) {
      const drawn = await draw(page, svg, icon);
      const stored = readFileSync(new URL(`../public/${icon.file}`, import.meta.url));
      const difference = await page.evaluate(
        async ([a, b]) => {
          const pixels = async (data) => {
            const image = new Image();
            image.src = `data:image/png;base64,${data}`;
            await image.decode();
            const canvas = document.createElement('canvas');
            canvas.width = image.width;
            canvas.height = image.height;
            const pen = canvas.getContext('2d');
            pen.drawImage(image, 0, 0);
            return pen.getImageData(0, 0, image.width, image.height).data;
          };
          const [one, other] = [await pixels(a), await pixels(b)];
          return one.reduce((sum, value, at) => sum + Math.abs(value - other[at]), 0) / one.length;
        },
        [drawn.toString('base64'), stored.toString('base64')],
      );
      // Another version of the browser smooths edges a little differently.
      assert.ok(difference < 1, `${icon.file} differs by ${difference} of 255: run node scripts/icons.mjs`);
    }
    await page.close();
  });
});
