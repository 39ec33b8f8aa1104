// What a file of browser tests plays on: a demo server and a browser for the file, and for each test the people it needs, each
// with a browser of their own that goes when the test is over.
import { after, afterEach, before } from 'node:test';
import { account, askApi, signInByApi } from './api.mjs';
import { keepSession, ownBrowser, slow, startBrowser, WITHIN_MS, watchConsole } from './browser.mjs';
import { demoServer } from './server.mjs';

/** How many times slower each page is to be, to find tests and screens that only work on a fast machine. */
const SLOWER = Number(process.env.HARIT_SLOWER ?? 0);

export const DESK = { width: 1440, height: 1000 };
export const PHONE = { width: 390, height: 844 };

/** Every language on a phone, both schemes, and a desk: in which looks pages are shown. */
export const LOOKS = [
  { language: 'en', scheme: 'light', viewport: PHONE },
  { language: 'hi', scheme: 'light', viewport: PHONE },
  { language: 'mr', scheme: 'dark', viewport: PHONE },
  { language: 'en', scheme: 'dark', viewport: DESK },
];

/** Whether everything is looked at in every look. */
export const ALL_LOOKS = Boolean(process.env.HARIT_ALL_LOOKS);

/** In which looks the dialogs of a file are looked at: those with the least in common, or all. */
export const DIALOG_LOOKS = ALL_LOOKS
  ? LOOKS
  : [
      { language: 'mr', scheme: 'light', viewport: PHONE },
      { language: 'en', scheme: 'dark', viewport: DESK },
    ];

/** Names a look in the name of a test. */
export const nameOf = ({ language, scheme, viewport }) => `${language}, ${scheme}, ${viewport.width} px`;

/**
 * Sets the stage for a file.
 *
 * - `settings`: those of the demo server. `browserArgs`: of the browser, made when it starts. `wholeBrowser`: as for
 *   `startBrowser`. `prepare` runs when server and browser are there, within `timeout`; `cleanup` before they go.
 * - everything else is what `open` is given in this file unless a test says otherwise.
 */
export function stage({
  settings,
  browserArgs = async () => [],
  wholeBrowser = false,
  prepare,
  cleanup,
  timeout = 90_000,
  ...usual
} = {}) {
  let server;
  let browser;
  const contexts = [];
  const sessions = new Map();

  before(
    async () => {
      server = await demoServer(settings);
      browser = await startBrowser(await browserArgs(), wholeBrowser);
      await prepare?.();
    },
    { timeout },
  );

  after(
    async () => {
      try {
        await cleanup?.();
      } finally {
        await browser?.close();
        await server?.close();
      }
    },
    { timeout: 30_000 },
  );

  afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));

  /** Token and user of somebody of the demo's farm, who signs in once. */
  function session(who) {
    if (!sessions.has(who)) sessions.set(who, signInByApi(server.base, account(who)));
    return sessions.get(who);
  }

  /** Asks the api as somebody of the demo's farm. */
  async function ask(who, method, path, body) {
    const { token } = await session(who);
    return askApi(server.base, token, method, path, body);
  }

  /**
   * Somebody (`who`, nobody when null) at a new browser, at a page if a `path` is given: as soon as something there is
   * `ready`, a selector. `complaints` are what its console says from then on.
   */
  async function open(more) {
    const {
      path,
      ready = 'main h1',
      who = 'owner',
      language = 'en',
      within = WITHIN_MS,
      ...look
    } = { viewport: DESK, ...usual, ...more };
    const context = await ownBrowser(browser, server.base, look);
    contexts.push(context);
    await keepSession(context, who && (await session(who)), language);
    const page = await context.newPage();
    if (SLOWER) await slow(page, SLOWER);
    page.setDefaultTimeout(within);
    const complaints = watchConsole(page);
    if (path) {
      await page.goto(path);
      await page.locator(ready).first().waitFor();
    }
    return { page, complaints, context };
  }

  return {
    get server() {
      return server;
    },
    get browser() {
      return browser;
    },
    session,
    ask,
    open,
  };
}
