// Every screen of the console and the states of it that matter, for the pictures and for the test that visits them all. A page
// of the console's table of which nothing is said here is visited as it is.
import { account, askApi, FARM, fromOutbox, registerByApi, signInByApi } from './api.mjs';
import { keepSession, ownBrowser } from './browser.mjs';
import { pages } from './pages.mjs';
import { texts } from './texts.mjs';

/**
 * A screen: where it is, who looks, and what must be done or be there before it counts as shown. `t` are the texts of the
 * language in which it is shown.
 *
 * - `who`: nobody when missing; `owner`, `viewer` and `worker` of the demo's farm; `newcomer` is before onboarding; `starter` has a farm
 *   in which there is nothing yet.
 * - `narrow`/`wide`: only on a phone, or only beside the menu.
 * - `failing`: calls that the server fails, so that the screen shows what it says then. `refused`: the server refuses by itself.
 * - `view`: the picture is of the window, not of the whole page. `at`: the page's path, where its address has more.
 */
const described = [
  {
    name: 'otp-verify',
    path: '/login',
    ends: '/otp-verify',
    before: async (page) => {
      // Each contact is sent one code a minute.
      await page.locator('main form input').first().fill(`nobody${Date.now()}@farm.in`);
      await page.locator('main form button[type=submit]').click();
      await page.waitForURL('**/otp-verify');
    },
  },
  {
    name: 'register-problems',
    path: '/register',
    before: (page) => page.locator('main form button[type=submit]').click(),
  },
  { name: 'invite', path: ({ invitation }) => invitation },
  {
    name: 'invite-invalid',
    path: '/invite/no-such-invite',
    refused: true,
    before: (page) => page.getByRole('alert').waitFor(),
  },
  {
    name: 'onboarding-skip',
    path: '/onboarding/users',
    who: 'newcomer',
    before: async (page, t) => {
      await page.getByRole('button', { name: t.setup.skip, exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'dashboard', path: '/dashboard', who: 'owner', before: tiles },
  {
    name: 'dashboard-why',
    path: '/dashboard',
    who: 'owner',
    before: async (page) => {
      await tiles(page);
      // What runs is a matter of the hour; where nothing does there is nothing to tell.
      const running = page.locator('[data-running] button');
      if ((await running.count()) > 0) await running.first().click();
    },
  },
  { name: 'dashboard-empty', path: '/dashboard', who: 'starter', before: tiles },
  { name: 'dashboard-viewer', path: '/dashboard', who: 'viewer', before: tiles },
  {
    name: 'dashboard-error',
    path: '/dashboard',
    who: 'owner',
    failing: ['summary', 'weather'],
    before: alert,
  },
  {
    name: 'menu',
    path: '/polyhouses/zones',
    who: 'owner',
    narrow: true,
    view: true,
    before: (page, t) => page.getByRole('button', { name: t.nav.open }).click(),
  },
  {
    name: 'palette',
    path: '/templates',
    who: 'owner',
    wide: true,
    view: true,
    before: async (page, t) => {
      await page.locator('[aria-keyshortcuts="Control+K"]').waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(t.nav.inventory);
      await page.getByRole('option', { name: t.nav.inventory }).waitFor();
    },
  },
  {
    name: 'user-menu',
    path: '/templates',
    who: 'owner',
    view: true,
    before: async (page, t) => {
      await page.getByRole('button', { name: new RegExp(t.header.userMenu) }).click();
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'bell',
    path: '/templates',
    who: 'owner',
    view: true,
    before: async (page, t) => {
      await page
        .locator('header')
        .getByRole('button', { name: new RegExp(t.notifications.title) })
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'work',
    path: '/work',
    who: 'worker',
    before: async (page) => {
      await present(page, '[data-task]');
      await present(page, 'main [data-device]');
    },
  },
  {
    name: 'worker-form',
    path: '/users',
    who: 'owner',
    before: async (page, t) => {
      const name = t.screen.editOf.replace('{{name}}', WORKER);
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('group', { name: t.work.given }).waitFor();
    },
  },
  { name: 'tasks', path: '/tasks', who: 'owner', before: (page) => present(page, '[data-task]') },
  { name: 'tasks-form', path: '/tasks?new', who: 'owner', before: form },
  { name: 'tasks-empty', path: '/tasks', who: 'starter' },
  { name: 'tasks-viewer', path: '/tasks', who: 'viewer', before: (page) => present(page, '[data-task]') },
  { name: 'tasks-error', path: '/tasks', who: 'owner', failing: ['tasks'], before: alert },
  {
    name: 'polyhouses',
    path: '/polyhouses',
    who: 'owner',
    before: (page) => present(page, '[data-polyhouse]'),
  },
  {
    name: 'polyhouse',
    path: '/polyhouses?open=polyhouse-1',
    who: 'owner',
    before: (page) => present(page, '[data-sensor]'),
  },
  { name: 'polyhouses-empty', path: '/polyhouses', who: 'starter' },
  { name: 'polyhouses-error', path: '/polyhouses', who: 'owner', failing: ['polyhouses'], before: alert },
  {
    name: 'reservoirs',
    path: '/reservoirs',
    who: 'owner',
    before: (page) => present(page, '[data-reservoir]'),
  },
  {
    name: 'ledger',
    path: '/reservoirs/reservoir-1',
    at: '/reservoirs',
    who: 'owner',
    before: async (page) => {
      await page.locator('[data-day="sum"] button').click();
      await present(page, '[data-day="sum"][data-open="true"]');
    },
  },
  { name: 'reservoirs-empty', path: '/reservoirs', who: 'starter' },
  { name: 'reservoirs-error', path: '/reservoirs', who: 'owner', failing: ['reservoirs'], before: alert },
  ...[
    '/polyhouses/lifecycles',
    '/polyhouses/nurseries',
    '/harvests',
    '/inventory',
    '/templates',
    '/sales/orders',
    '/sales/expenses',
    '/sales/reports',
  ].map((path) => ({
    name: path.slice(1).replaceAll('/', '-'),
    path,
    who: 'owner',
    before: (page) => page.getByRole('table').first().waitFor(),
  })),
  { name: 'crop-cycle-form', path: '/polyhouses/lifecycles?new-crop-cycles', who: 'owner', before: form },
  {
    name: 'template-form',
    path: '/templates',
    who: 'owner',
    before: (page) =>
      page
        .locator('[data-record] button')
        .first()
        .click()
        .then(() => form(page)),
  },
  { name: 'order-form', path: '/sales/orders?new-sales', who: 'owner', before: form },
  { name: 'inventory-empty', path: '/inventory', who: 'starter' },
  { name: 'orders-viewer', path: '/sales/orders', who: 'viewer' },
  { name: 'users', path: '/users', who: 'owner', before: (page) => page.getByRole('table').waitFor() },
  { name: 'users-form', path: '/users?new', who: 'owner', before: form },
  { name: 'controllers', path: '/automation/controllers', who: 'owner', before: controllers },
  { name: 'controllers-form', path: '/automation/controllers?new', who: 'owner', before: form },
  {
    name: 'controllers-password',
    path: '/automation/controllers',
    who: 'owner',
    view: true,
    refused: true,
    before: async (page, t) => {
      await controllers(page);
      const mac = await unusedController(page);
      await page.goto('/automation/controllers');
      await page.locator(`[data-controller="${mac}"]`).getByText(t.controllers.newPassword).click();
      await page.getByRole('dialog').getByText(t.controllers.newPassword, { exact: true }).click();
      await page.locator('[data-account] svg').first().waitFor();
    },
  },
  { name: 'controllers-found', path: '/automation/controllers', who: 'owner', before: found },
  {
    name: 'controllers-naming',
    path: '/automation/controllers',
    who: 'owner',
    before: async (page, t) => {
      await found(page);
      await page.locator('[data-sensor]').getByRole('button', { name: t.controllers.nameIt }).first().click();
      await page.locator('[data-naming]').waitFor();
    },
  },
  {
    name: 'controllers-scan',
    path: '/automation/controllers?new',
    who: 'owner',
    view: true,
    before: async (page, t) => {
      await page.getByRole('button', { name: t.scan.open }).click();
      // No camera in a browser that nobody sees.
      await page.getByRole('dialog').getByRole('alert').waitFor();
    },
  },
  { name: 'start', path: '/start', who: 'starter', before: (page) => present(page, '[data-step]') },
  { name: 'controllers-empty', path: '/automation/controllers', who: 'starter' },
  { name: 'controllers-viewer', path: '/automation/controllers', who: 'viewer' },
  {
    name: 'controllers-error',
    path: '/automation/controllers',
    who: 'owner',
    failing: ['controllers'],
    before: alert,
  },
  {
    name: 'users-viewer',
    path: '/users',
    who: 'viewer',
  },
  { name: 'users-error', path: '/users', who: 'owner', failing: ['users'], before: alert },
  {
    name: 'profile',
    path: '/profile',
    who: 'owner',
    before: (page) => page.locator('main li').first().waitFor(),
  },
  { name: 'alerts', path: '/alerts', who: 'owner', before: (page) => present(page, 'main article') },
  {
    name: 'notifications',
    path: '/notifications',
    who: 'owner',
    before: (page) => present(page, 'main article'),
  },
  { name: 'incident', path: ({ incident }) => incident, at: '/alerts', who: 'owner', before: chart },
  { name: 'incident-viewer', path: ({ incident }) => incident, at: '/alerts', who: 'viewer', before: chart },
  {
    name: 'incident-false',
    path: ({ incident }) => incident,
    at: '/alerts',
    who: 'owner',
    view: true,
    before: async (page, t) => {
      await page.getByRole('button', { name: t.incident.falseAlarm }).click();
      await form(page);
    },
  },
  {
    name: 'incident-unknown',
    path: '/alerts/1764000000000-none',
    at: '/alerts',
    who: 'owner',
    refused: true,
  },
  { name: 'alerts-form', path: '/alerts?new', who: 'owner', before: form },
  { name: 'alerts-viewer', path: '/alerts', who: 'viewer', before: (page) => present(page, 'main article') },
  { name: 'alerts-empty', path: '/alerts', who: 'starter' },
  { name: 'alerts-error', path: '/alerts', who: 'owner', failing: ['alerts'], before: alert },
  { name: 'rules', path: '/automation/rules', who: 'owner', before: rules },
  { name: 'rules-new', path: '/automation/rules?new', who: 'owner', before: sentence },
  { name: 'rules-edit', path: '/automation/rules?edit=rule-ph1-cool', who: 'owner', before: sentence },
  {
    name: 'rules-problems',
    path: '/automation/rules?new',
    who: 'owner',
    before: async (page, t) => {
      await page.getByRole('button', { name: t.rules.editor.saveDraft, exact: true }).click();
      await alert(page);
    },
  },
  {
    name: 'rules-unfolded',
    path: '/automation/rules',
    who: 'owner',
    view: true,
    before: async (page) => {
      await rules(page);
      const line = page.locator('[data-rule="rule-ph1-cool"]');
      if ((await line.locator('details[open]').count()) === 0) await line.locator('summary').click();
      await line.locator('[data-phase]').waitFor();
      await page.evaluate(() => window.scrollTo(0, 0));
    },
  },
  {
    name: 'rules-job',
    path: '/automation/rules?new',
    who: 'owner',
    before: async (page) => {
      await page.locator('[data-job]').first().click();
      await page.locator('[data-job]').first().waitFor({ state: 'detached' });
      await page.locator('form details summary').first().click();
    },
  },
  ...['value', 'duration', 'device', 'do'].map((slot) => ({
    name: `rules-${slot}`,
    path: '/automation/rules?new',
    who: 'owner',
    before: async (page) => {
      await page.locator(`[data-slot="${slot}"]`).first().click();
      await page.getByRole('dialog').waitFor();
    },
  })),
  { name: 'rules-viewer', path: '/automation/rules', who: 'viewer', before: rules },
  {
    name: 'rules-empty',
    path: '/automation/rules',
    who: 'starter',
    before: (page) => page.getByRole('heading', { level: 2 }).waitFor(),
  },
  { name: 'rules-error', path: '/automation/rules', who: 'owner', failing: ['rules'], before: alert },
  { name: 'logs', path: '/automation/logs', who: 'owner', before: (page) => present(page, '[data-entry]') },
  {
    name: 'logs-filters',
    path: '/automation/logs?type=rule_trigger&device=pump&start=2026-01-01',
    who: 'owner',
    before: async (page, t) => {
      const fold = page.getByRole('button', { name: new RegExp(`^${t.logs.filters} `) });
      if (await fold.isVisible()) await fold.click();
    },
  },
  {
    name: 'logs-details',
    path: '/automation/logs',
    who: 'owner',
    view: true,
    before: async (page) => {
      await page.locator('[data-entry] button').first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'logs-reversed',
    path: '/automation/logs?start=2026-11-21&end=2026-11-20',
    who: 'owner',
    before: (page) => page.getByRole('heading', { level: 2 }).waitFor(),
  },
  {
    name: 'logs-viewer',
    path: '/automation/logs',
    who: 'viewer',
    before: (page) => present(page, '[data-entry]'),
  },
  {
    name: 'logs-empty',
    path: '/automation/logs?device=nothing-of-this-name',
    who: 'starter',
    before: (page) => page.getByRole('heading', { level: 2 }).waitFor(),
  },
  { name: 'logs-error', path: '/automation/logs', who: 'owner', failing: ['logs'], before: alert },
  {
    name: 'holders',
    path: '/automation/holders',
    who: 'owner',
    before: (page) => present(page, '[data-held]'),
  },
  {
    name: 'holders-why',
    path: '/automation/holders',
    who: 'viewer',
    view: true,
    before: async (page) => {
      await page.locator('[data-held]').first().click();
      await page.getByRole('dialog').locator('[data-explained]').waitFor();
    },
  },
  { name: 'holders-error', path: '/automation/holders', who: 'owner', failing: ['holders'], before: alert },
  {
    name: 'outages',
    path: '/automation/outages',
    who: 'owner',
    before: (page) => page.locator('main [aria-busy="false"]').first().waitFor(),
  },
  { name: 'outages-error', path: '/automation/outages', who: 'owner', failing: ['outages'], before: alert },
  { name: 'manual', path: '/automation/manual', who: 'owner', before: devices },
  {
    name: 'manual-panel',
    path: '/automation/manual',
    who: 'owner',
    before: async (page) => {
      await devices(page);
      await page.locator('main [data-device] h3 button:enabled').first().click();
      await page.locator('[data-panel]').waitFor();
    },
  },
  { name: 'manual-viewer', path: '/automation/manual', who: 'viewer', before: devices },
  { name: 'manual-empty', path: '/automation/manual', who: 'starter' },
  { name: 'manual-error', path: '/automation/manual', who: 'owner', failing: ['devices'], before: alert },
  {
    name: 'day',
    path: '/day?polyhouse=polyhouse-1',
    who: 'owner',
    before: (page) => page.getByRole('slider').waitFor(),
  },
  { name: 'day-empty', path: '/day', who: 'starter' },
  {
    name: 'day-lanes',
    path: '/day?device=ph1-drip-a',
    who: 'owner',
    before: async (page) => {
      await page.locator('[data-lane]').first().waitFor();
      await page.locator('[data-card] [data-decides]').waitFor();
    },
  },
  { name: 'day-lanes-gone', path: '/day?device=none', who: 'owner', refused: true },
  { name: 'letter', path: '/letter', who: 'owner', before: letter },
  { name: 'letter-viewer', path: '/letter', who: 'viewer', before: letter },
  { name: 'letter-empty', path: '/letter', who: 'starter', before: letter },
  { name: 'letter-error', path: '/letter', who: 'owner', failing: ['letter'], before: alert },
  {
    name: 'letter-week',
    path: '/letter?week',
    who: 'owner',
    before: (page) => page.locator('table').first().waitFor(),
  },
  {
    name: 'farm-place',
    path: '/polyhouses?edit-position=demo-farm-1',
    who: 'owner',
    view: true,
    before: (page) => page.getByRole('dialog').waitFor(),
  },
  {
    name: 'day-error',
    path: '/day?polyhouse=polyhouse-1',
    who: 'owner',
    failing: ['logs'],
    before: alert,
  },
  { name: 'history', path: '/history?polyhouse=polyhouse-1&span=6h', who: 'owner', before: chart },
  { name: 'history-device', path: '/history?device=ph1-drip-a&span=6h', who: 'owner', before: chart },
  { name: 'history-empty', path: '/history', who: 'starter' },
  { name: 'history-error', path: '/history', who: 'owner', failing: ['polyhouses'], before: alert },
];

/** Who looks at a page of which nothing is said. */
const usualViewer = { main: 'owner', wall: 'owner', setup: 'newcomer', password: 'owner' };
/** States of a page that are reached from what it shows at first; the page as it is counts by itself. */
const isState = ({ name }) => /-(problems|skip)$|menu$|^bell$|^palette$|^worker-form$/.test(name);

/** The path at which a screen is, without what is asked of it. */
const placeOf = ({ path, ends, at }) =>
  at ?? (typeof path === 'function' ? '/invite' : (ends ?? path.replace(/\?.*|(?<=^\/invite)\/.*/, '')));
const known = new Set(described.filter((screen) => !isState(screen)).map(placeOf));

export const screens = [
  ...described,
  ...pages.flatMap(({ paths, layout }) =>
    paths
      .map((path) => path.replace(/\/:.*$/, ''))
      .filter((path) => !known.has(path))
      .map((path) => ({
        name: path.slice(1).replaceAll('/', '-'),
        path,
        who: usualViewer[layout],
      })),
  ),
];

/** Screens at a path that no page has. */
export function strayScreens() {
  const paths = pages.flatMap((page) => page.paths.map((path) => path.replace(/\/:.*$/, '')));
  return described.filter((screen) => !paths.includes(placeOf(screen)));
}

function tiles(page) {
  return page.locator('[data-tile]').first().waitFor();
}

function alert(page) {
  return page.locator('main').getByRole('alert').first().waitFor();
}

function letter(page, t) {
  return page.getByRole('region', { name: t.letter.rules.title }).waitFor();
}

function form(page) {
  return page.getByRole('dialog').locator('form').waitFor();
}

function chart(page) {
  return page.locator('figure [role=img] svg').first().waitFor();
}

function rules(page) {
  return present(page, '[data-rule]');
}

function controllers(page) {
  return present(page, '[data-controller]');
}

/** What a simulated controller found. */
async function found(page) {
  await controllers(page);
  await page.locator('[data-controller] a').first().click();
  await present(page, '[data-sensor]');
}

/** A controller that no simulated one stands behind, so that its password can be made anew; registered when it is not there. */
async function unusedController(page) {
  const macid = 'A0A0A0A0A0A0';
  await page.evaluate(async (mac) => {
    const headers = {
      authorization: `Bearer ${localStorage.getItem('token')}`,
      'content-type': 'application/json',
    };
    // Registered before, it is refused, and there.
    await fetch('/api/farms/demo-farm-1/controllers', {
      method: 'POST',
      headers,
      body: JSON.stringify({ type: 'POLYHOUSE', polyhouseId: 'polyhouse-1', macid: mac, name: 'Gate box' }),
    });
  }, macid);
  return macid;
}

function sentence(page) {
  return page.locator('[data-sentence]').waitFor();
}

function devices(page) {
  return present(page, 'main [data-device]');
}

function present(page, selector) {
  return page.locator(selector).first().waitFor({ state: 'attached' });
}

const WORKER = 'रमेश पवार';
const STARTER = { name: 'Ravi Jadhav', password: 'polyhouse-start' };

/** The people who look at the screens, and an invitation; made once on a demo server. */
export async function cast(base) {
  const now = Date.now();
  const [owner, viewer] = await Promise.all(
    ['owner', 'viewer'].map((name) => signInByApi(base, account(name))),
  );
  const newcomer = await registerByApi(base, { ...STARTER, email: `newcomer${now}@farm.in` });
  const starter = await registerByApi(base, { ...STARTER, email: `starter${now}@farm.in` });
  await askApi(base, starter.token, 'POST', '/auth/complete-onboarding', {});
  starter.user = { ...starter.user, onboardingCompleted: true };
  // Without its language: the screens are looked at in each.
  const invitation = `/invite${await invite(base, owner, `meera${now}@farm.in`, 'FARM_MANAGER')}`;
  const worker = await workerOf(base, owner, now);
  const incident = await raised(base, owner, viewer);
  return { sessions: { owner, viewer, newcomer, starter, worker }, invitation, incident };
}

/** An alert that is raised and that somebody has answered; its page. */
async function raised(base, owner, viewer) {
  const ask = (who, method, path, body) => askApi(base, who.token, method, `${FARM}${path}`, body);
  const { id } = await ask(owner, 'POST', '/alerts', {
    name: 'पॉलीहाऊस तापले',
    repeatsIn: 30,
    repeatUnit: 'minutes',
    channels: [],
    severity: 'info',
    scope: { type: 'polyhouse', polyhouseId: 'polyhouse-1' },
    conditions: [{ sensor: 'Temperature', operator: '>', value: 0, unit: '°C' }],
    subscribers: [{ email: 'owner@demo.harit' }],
  });
  for (let looks = 0; ; looks += 1) {
    const { status } = await ask(owner, 'GET', `/alerts/${id}`);
    if (status.incident) {
      const answers = `/incidents/${status.incident.id}/answers`;
      await ask(viewer, 'POST', answers, { kind: 'on_it', note: 'पंख्याजवळ जात आहे' });
      return `/alerts/${encodeURIComponent(status.incident.id)}`;
    }
    if (looks > 300) throw new Error('the alert is not raised');
    await new Promise((later) => setTimeout(later, 200));
  }
}

/** Invites somebody to the demo's farm; the part of the link with its token. */
async function invite(base, owner, email, role) {
  await askApi(base, owner.token, 'POST', '/onboarding/invite-user', { email, role, languagePref: 'mr' });
  const { link } = await fromOutbox(base, email, 'INVITE');
  return new URL(link).hash;
}

/** A worker with two tasks, who was given a house and two of its devices. */
async function workerOf(base, owner, now) {
  const ask = (method, path, body) => askApi(base, owner.token, method, `${FARM}${path}`, body);
  const token = (await invite(base, owner, `ramesh${now}@farm.in`, 'WORKER')).slice(1);
  const accepted = { token, name: WORKER, password: STARTER.password };
  const worker = await askApi(base, undefined, 'POST', '/onboarding/invite/accept', accepted);
  const { id } = worker.user;
  const [house] = await ask('GET', '/polyhouses');
  const devices = (await ask('GET', '/devices')).filter(({ scope }) => scope.polyhouseId === house.id);
  await ask('PATCH', `/users/${id}`, {
    polyhouses: [house.id],
    devices: devices.slice(0, 2).map((device) => device.id),
  });
  for (const [title, dueDate] of [
    ['मल्चिंग पेपर बदला', '2026-01-31'],
    ['ड्रिप फिल्टर साफ करा', '2099-12-31'],
  ])
    await ask('POST', '/tasks', { title, dueDate, assigneeId: id });
  return worker;
}

/** A browser of somebody: signed in (or not), in a language. */
export async function contextOf(browser, base, people, who, language, { width, scheme }) {
  const narrow = width < 600;
  const context = await ownBrowser(browser, base, {
    viewport: { width, height: narrow ? 844 : 900 },
    deviceScaleFactor: narrow ? 2 : 1,
    scheme,
    still: true,
  });
  await keepSession(context, who && people.sessions[who], language);
  // As on a device that has the fonts: elsewhere a first page does without.
  await context.addInitScript(() => localStorage.setItem('has-fonts', 'yes'));
  return context;
}

/** Opens a screen and leads it into its state. */
export async function show(page, screen, people, language) {
  for (const call of screen.failing ?? []) {
    await page.route(new RegExp(`/api/farms/[^/]+/${call}(\\?|$)`), (route) =>
      route.fulfill({ status: 503, json: { error: '', code: 'unavailable' } }),
    );
  }
  await page.goto(typeof screen.path === 'function' ? screen.path(people) : screen.path);
  await page.locator('main, [role=dialog]').first().waitFor();
  // Until it is known which farm to show, a page has no heading yet.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await screen.before?.(page, texts(language));
  await page.evaluate(() => document.fonts.ready);
}

/** What the browser says about calls that were made to fail is no complaint about the screen. */
export function complaintsAbout(screen, messages) {
  return screen.failing || screen.refused
    ? messages.filter((message) => !/Failed to load resource/.test(message))
    : messages;
}
