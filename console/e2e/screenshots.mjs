// Photographs every screen: 390 and 1440 px, light and dark, English, Hindi and Marathi, into screenshots/ (git-ignored).
// Without --base it starts $HARIT_BIN in demo mode for itself.
//   npm run screenshots -- [--base http://127.0.0.1:8080] [--only dashboard] [--languages hi] [--widths 390] [--schemes dark]
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  DEMO,
  fromOutbox,
  keepSession,
  registerByApi,
  signInByApi,
  startBrowser,
  watchConsole,
} from './browser.mjs';
import { demoServer } from './server.mjs';

const { values: options } = parseArgs({
  options: {
    base: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('../screenshots/', import.meta.url)) },
    only: { type: 'string' },
    languages: { type: 'string', default: 'en,hi,mr' },
    widths: { type: 'string', default: '390,1440' },
    schemes: { type: 'string', default: 'light,dark' },
  },
});

/** A screen: where it is, who looks (`signedIn`: the demo's owner, `newcomer`: somebody before onboarding), what to do before the picture. `narrow`: only on a phone. */
const screens = [
  { name: 'login', path: '/login' },
  { name: 'login-password', path: '/login/password' },
  { name: 'login-email', path: '/login/email' },
  { name: 'register', path: '/register' },
  {
    name: 'register-problems',
    path: '/register',
    before: (page) => page.locator('button[type=submit]').click(),
  },
  { name: 'onboarding-assets', path: '/onboarding/assets', newcomer: true },
  { name: 'onboarding-users', path: '/onboarding/users', newcomer: true },
  {
    name: 'onboarding-skip',
    path: '/onboarding/users',
    newcomer: true,
    before: async (page) => {
      await page.waitForLoadState('networkidle');
      await page.locator('main button:not([type=submit])').first().click();
      await page.locator('[role=dialog]').waitFor();
    },
  },
  { name: 'invite', path: () => invitation },
  {
    name: 'users',
    path: '/users',
    signedIn: true,
    before: (page) => page.locator('table').waitFor(),
  },
  {
    name: 'users-form',
    path: '/users?new',
    signedIn: true,
    before: (page) => page.locator('[role=dialog] form').waitFor(),
  },
  {
    name: 'profile',
    path: '/profile',
    signedIn: true,
    before: (page) => page.locator('main li').first().waitFor(),
  },
  { name: 'sidebar-demo', path: '/sidebar-demo' },
  {
    name: 'dashboard',
    path: '/dashboard',
    signedIn: true,
    before: (page) => page.locator('[data-tile]').first().waitFor(),
  },
  {
    name: 'tasks',
    path: '/tasks',
    signedIn: true,
    before: (page) => page.locator('[data-task]').first().waitFor(),
  },
  {
    name: 'tasks-form',
    path: '/tasks?new',
    signedIn: true,
    before: (page) => page.locator('[role=dialog] form').waitFor(),
  },
  {
    name: 'menu',
    path: '/polyhouses/zones',
    signedIn: true,
    narrow: true,
    before: (page) => page.locator('header button').first().click(),
  },
  { name: 'placeholder', path: '/inventory', signedIn: true },
];

const list = (text) => text.split(',');
const heights = { 390: 844, 1440: 900 };
const server = options.base ? undefined : await demoServer();
const base = options.base ?? server.base;
const browser = await startBrowser();
const complaints = [];
const newcomer = await registerByApi(base, { name: 'Ravi Jadhav', email: `ravi${Date.now()}@farm.in` });
const invitation = await invite(`meera${Date.now()}@farm.in`);
let taken = 0;
await mkdir(options.out, { recursive: true });
try {
  for (const width of list(options.widths).map(Number)) {
    for (const scheme of list(options.schemes)) {
      for (const language of list(options.languages)) {
        await photograph(width, scheme, language);
      }
    }
  }
} finally {
  await browser.close();
  await server?.close();
}
for (const complaint of complaints) console.error(complaint);
console.log(`${taken} pictures in ${options.out}, ${complaints.length} console messages`);
if (complaints.length > 0) process.exitCode = 1;

/** Somebody new is invited to the demo's farm; answers where the link leads. */
async function invite(email) {
  const signIn = await fetch(`${base}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(DEMO),
  });
  const { token } = await signIn.json();
  await fetch(`${base}/onboarding/invite-user`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ email, role: 'FARM_MANAGER', languagePref: 'mr' }),
  });
  const { link } = await fromOutbox(base, email, 'INVITE');
  return link.slice(link.indexOf('/invite/'));
}

async function photograph(width, scheme, language) {
  for (const screen of screens) {
    if (options.only && !list(options.only).includes(screen.name)) continue;
    if (screen.narrow && width > 600) continue;
    const context = await browser.newContext({
      viewport: { width, height: heights[width] ?? 900 },
      deviceScaleFactor: width < 600 ? 2 : 1,
      hasTouch: width < 600,
      colorScheme: scheme,
      reducedMotion: 'reduce',
      baseURL: base,
    });
    if (screen.signedIn) await signInByApi(context, base, language);
    else if (screen.newcomer) await keepSession(context, newcomer, language);
    else await context.addInitScript((stored) => localStorage.setItem('language', stored), language);
    const page = await context.newPage();
    const messages = watchConsole(page);
    await page.goto(typeof screen.path === 'function' ? screen.path() : screen.path);
    await page.locator('main, [role=dialog]').first().waitFor();
    await page.waitForLoadState('load');
    await screen.before?.(page);
    await page.evaluate(() => document.fonts.ready);
    await page.waitForTimeout(400);
    const name = `${screen.name}-${width}-${scheme}-${language}`;
    await page.screenshot({ path: `${options.out}/${name}.png`, fullPage: !screen.narrow });
    taken += 1;
    complaints.push(...messages.map((message) => `${name}: ${message}`));
    await context.close();
  }
}
