// A Chromium for the browser tests and the screenshots, and what both need of it: a signed-in page, and every console
// message that a person should never cause.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

/** What a person would wait for. */
export const WITHIN_MS = 20_000;

/** Debian's browsers: without a window and what belongs to it, which takes a third less time; and the whole one. */
const SHELL = '/usr/bin/chromium-headless-shell';
const WHOLE = '/usr/bin/chromium';

/**
 * Starts the browser of the system ($CHROMIUM, else one of Debian's), with more arguments if a test needs them; `whole`: one that
 * shows notifications and has a camera.
 */
export async function startBrowser(more = [], whole = false) {
  const executablePath = process.env.CHROMIUM ?? (whole || !existsSync(SHELL) ? WHOLE : SHELL);
  if (!existsSync(executablePath))
    throw new Error(`no browser at ${executablePath}: install chromium or set CHROMIUM`);
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      // Without a window, letters would have other widths.
      '--font-render-hinting=none',
      ...more,
    ],
  });
}

/** Makes the page's processor so many times slower, as on an old phone. */
export async function slow(page, rate) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate });
}

/** Collects errors and warnings of a page's console, and what it did not catch. */
export function watchConsole(page) {
  const messages = [];
  page.on('console', (message) => {
    const text = message.text();
    // That it is blocked here is no complaint of the page's; what comes late on a busy machine is used late.
    const ours = !(
      text === 'Service Worker registration blocked by Playwright' ||
      /was preloaded using link preload but not used within a few seconds/.test(text)
    );
    if ((message.type() === 'error' || message.type() === 'warning') && ours)
      messages.push(`${message.type()}: ${text}`);
  });
  page.on('pageerror', (error) => messages.push(`uncaught: ${error.message}`));
  return messages;
}

/** Without what the browser says about answers that are meant to be refusals. */
export const unexpected = (messages) =>
  messages.filter((message) => !/the server responded with a status of 4/.test(message));

/** By how many pixels the page is wider than its window. */
export const tooWide = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits until nothing fades or moves any more; what goes on for ever is left alone. */
export async function settled(page) {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const moving = () =>
      document
        .getAnimations()
        .filter((a) => a.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
    let calm = 0;
    while (calm < 5) {
      await frame();
      calm = moving().some((a) => a.playState === 'running' || a.pending) ? 0 : calm + 1;
    }
  });
}

/** Holds a button down until what it opens is there; gives when it was pressed. */
export async function hold(page, button, opened) {
  await button.waitFor();
  const box = await button.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const began = Date.now();
  await page.mouse.down();
  await opened.waitFor();
  await page.mouse.up();
  return began;
}

/**
 * What axe finds wrong with the page (WCAG 2.2 AA), a line for each; with a selector, only inside of that: what an open panel
 * covers by halves is not too small to hit, it is behind the panel.
 */
export async function accessibilityProblems(page, within = ':root') {
  // Half faded in, every text has too little contrast.
  await settled(page);
  // Evaluated, not added as a script: the page's own policy allows no foreign scripts, and shall not.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(async (part) => {
    // What lies behind the head of the page or the bar with the stop button is reached by scrolling: it is covered now, and not
    // for good. So they stand above and below the page meanwhile.
    const head = document.querySelector('header');
    head?.style.setProperty('position', 'static');
    const bar = document.querySelector('[data-stop-bar]');
    bar?.style.setProperty('position', 'static');
    bar?.parentElement.style.setProperty('display', 'block');
    // What an open window covers by halves is not too small to hit: it is behind the window, whose own targets count.
    const [window] = [...document.querySelectorAll('[role=dialog]')].slice(-1);
    const found = await globalThis.axe.run(part === ':root' ? document : part, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      rules: {
        // Open menus are portals at the end of the body, outside the landmarks by nature.
        region: { enabled: document.querySelector('[role=menu]') === null },
        'target-size': { enabled: window === undefined },
      },
    });
    if (window) {
      const inside = await globalThis.axe.run(window, { runOnly: { type: 'rule', values: ['target-size'] } });
      found.violations.push(...inside.violations);
    }
    head?.style.removeProperty('position');
    bar?.style.removeProperty('position');
    bar?.parentElement.style.removeProperty('display');
    return found;
  }, within);
  return violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  );
}

/** Waits until `look` is not false; one that asserts may fail until then. It looks often at first, then twice a second. */
export async function until(what, look, within = WITHIN_MS) {
  const deadline = Date.now() + within;
  let problem = '';
  for (let pause = 20; Date.now() < deadline; pause = Math.min(2 * pause, 500)) {
    try {
      const found = await look();
      if (found !== false) return found;
    } catch (error) {
      problem = `: ${error}`;
    }
    await new Promise((wake) => setTimeout(wake, pause));
  }
  throw new Error(`${what}: not within ${within} ms${problem}`);
}

/**
 * Waits until what `look` sees changes by a live message. What a load of `path` changed meanwhile counts for nothing: one
 * follows the subscription, and one comes every half minute.
 */
export async function changesLive(page, path, look, within) {
  const loads = { asked: 0, answered: 0 };
  const count = (step) => (request) => {
    if (request.url().endsWith(path)) loads[step] += 1;
  };
  const [asked, answered] = [count('asked'), count('answered')];
  page.on('request', asked);
  page.on('requestfinished', answered);
  try {
    const deadline = Date.now() + within;
    let seen = { sight: String(await look()), asked: -1, answered: -1 };
    while (Date.now() < deadline) {
      const now = { sight: String(await look()), ...loads };
      const loaded = now.asked !== seen.asked || now.answered !== seen.answered || now.asked > now.answered;
      if (!loaded && now.sight !== seen.sight) return;
      if (loaded) seen = now;
      await page.waitForTimeout(200);
    }
    throw new Error(`no live message changed anything within ${within} ms`);
  } finally {
    page.off('request', asked);
    page.off('requestfinished', answered);
  }
}

/** A browser of somebody's own: a phone when it is narrow; `still`: nothing fades or moves. */
export function ownBrowser(browser, base, { viewport, scheme = 'light', still = false, ...more }) {
  return browser.newContext({
    baseURL: base,
    viewport,
    hasTouch: viewport.width < 600,
    colorScheme: scheme,
    // What it keeps would answer instead of what a test answers; tests of the worker allow it.
    serviceWorkers: 'block',
    ...(still && { reducedMotion: 'reduce' }),
    ...more,
  });
}

/** Leaves session and language, if there are any, where the console looks for them. */
export function keepSession(context, session, language) {
  const kept = {
    ...(session && { token: session.token, user: JSON.stringify(session.user) }),
    ...(language && { language }),
  };
  return context.addInitScript((items) => {
    for (const [name, text] of Object.entries(items)) localStorage.setItem(name, text);
  }, kept);
}
