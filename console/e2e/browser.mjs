// A Chromium for the browser tests and the screenshots, and what both need of it: a signed-in page, and every console
// message that a person should never cause.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

export const DEMO = { contact: 'owner@demo.harit', password: 'polyhouse-demo' };

/** Starts the browser of the system ($CHROMIUM, else /usr/bin/chromium). */
export async function startBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
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
    ],
  });
}

/** Collects errors and warnings of a page's console, and what it did not catch. */
export function watchConsole(page) {
  const messages = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      messages.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => messages.push(`uncaught: ${error.message}`));
  return messages;
}

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

/**
 * What axe finds wrong with the page (WCAG 2.2 AA), a line for each; with a selector, only inside of that: what an open panel
 * covers by halves is not too small to hit, it is behind the panel.
 */
export async function accessibilityProblems(page, within = ':root') {
  // Half faded in, every text has too little contrast.
  await settled(page);
  // Evaluated, not added as a script: the page's own policy allows no foreign scripts, and shall not.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(
    (part) =>
      globalThis.axe.run(part === ':root' ? document : part, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        // Open menus are portals at the end of the body, outside the landmarks by nature.
        rules: { region: { enabled: document.querySelector('[role=menu]') === null } },
      }),
    within,
  );
  return violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  );
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

/** Signs in by the api and leaves token, user and language where the console looks for them. */
export async function signInByApi(context, base, language = 'en', account = DEMO) {
  const response = await context.request.post(`${base}/auth/login`, { data: account });
  if (!response.ok()) throw new Error(`sign-in as ${account.contact} answered ${response.status()}`);
  await keepSession(context, await response.json(), language);
}

/** Leaves token, user and language where the console looks for them. */
export async function keepSession(context, { token, user }, language) {
  await context.addInitScript(
    ([tokenText, userText, languageText]) => {
      localStorage.setItem('token', tokenText);
      localStorage.setItem('user', userText);
      localStorage.setItem('language', languageText);
    },
    [token, JSON.stringify(user), language],
  );
}

/** Registers somebody new by the api; the answer is what a sign-in answers. */
export async function registerByApi(base, fields) {
  const response = await fetch(`${base}/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  if (!response.ok) throw new Error(`registration answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** The latest message of the demo's outbox to a contact. */
export async function fromOutbox(base, to, kind, within = 5_000) {
  const deadline = Date.now() + within;
  while (Date.now() < deadline) {
    const { messages } = await (await fetch(`${base}/api/demo/outbox`)).json();
    const found = messages.find((message) => message.to === to && message.kind === kind);
    if (found) return found;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error(`no ${kind} for ${to} in the outbox`);
}
