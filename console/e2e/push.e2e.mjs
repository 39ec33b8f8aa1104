// Web Push: asked for by a tap, given by the server to the push service, and shown by the worker while the console is closed. The push
// service is the demo's simulated one, and Chromium is given what it took by DevTools: no real one can be reached here.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { came, gatewaysOf, subscription } from './phone.mjs';
import { PHONE, stage } from './stage.mjs';

const demo = stage({ viewport: PHONE, serviceWorkers: 'allow', wholeBrowser: true });
const { ask, open } = demo;

/** Waits for a message to a browser that comes after `before` others; what the browser reads of it. */
async function pushed(gateways, name, before, read) {
  const all = await came(
    gateways,
    ({ channel, to }) => channel === 'push' && to === name,
    before + 1,
    90_000,
  );
  return read(all[before]);
}

/** The page's part of a push service: this browser has none here. */
const subscribed = (json) => {
  const made = { toJSON: () => json, unsubscribe: async () => true };
  let own = null;
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (!userVisibleOnly || applicationServerKey.length !== 87)
      throw new TypeError('not as it must be asked for');
    own = made;
    return made;
  };
  PushManager.prototype.getSubscription = async () => own;
};

const shown = (page) =>
  page.evaluate(async () => {
    const { registration } = { registration: await navigator.serviceWorker.ready };
    const all = await registration.getNotifications();
    return all.map(({ title, body, tag, lang, data }) => ({ title, body, tag, lang, ...data }));
  });

describe('Web Push', { timeout: 300_000 }, () => {
  it('is asked for in the profile, tried, and shows alerts while the console is closed', async () => {
    const gateways = await gatewaysOf(demo.server);
    const phone = subscription(`${gateways}/push/phone`);
    const { page, context, complaints } = await open({ path: '/dashboard' });
    const origin = demo.server.base;
    await context.grantPermissions(['notifications'], { origin });
    await until('the worker is there', () =>
      page.evaluate(
        async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated',
      ),
    );
    await context.addInitScript(subscribed, phone.json);
    await page.goto('/profile');
    const part = page.getByRole('region', { name: 'Alerts on this phone or computer' });
    await part.getByText(/appear here like messages/).waitFor();
    await part.getByRole('button', { name: 'Tell me here' }).click();
    await part.getByText('Alerts now appear here.').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.ok((await tooWide(page)) <= 0);
    await part.getByRole('button', { name: 'Send a test to This device' }).click();
    await part.getByText('The test is on its way.').waitFor();
    const test = await pushed(gateways, 'phone', 0, phone.open);

    // Nothing of the console is open any more.
    const blank = await context.newPage();
    const devtools = await context.newCDPSession(blank);
    const registrations = [];
    devtools.on('ServiceWorker.workerRegistrationUpdated', (seen) =>
      registrations.push(...seen.registrations),
    );
    await devtools.send('ServiceWorker.enable');
    await until('DevTools know the worker', () =>
      registrations.some(({ scopeURL }) => scopeURL === `${origin}/`),
    );
    const { registrationId } = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
    await page.close();
    assert.deepEqual(
      context.pages().map((each) => each.url()),
      ['about:blank'],
    );
    const deliver = (data) =>
      devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    await deliver(test);

    // An alert of the owner's, in their language.
    await ask('owner', 'PATCH', '/auth/me', { languagePref: 'mr' });
    const { id } = await ask('owner', 'POST', `${FARM}/alerts`, {
      name: 'Push chain',
      repeatsIn: 30,
      repeatUnit: 'minutes',
      channels: ['PUSH'],
      severity: 'critical',
      scope: { type: 'polyhouse', polyhouseId: 'polyhouse-1' },
      conditions: [{ sensor: 'Temperature', operator: '>', value: 0, unit: '°C' }],
      subscribers: [{ email: 'owner@demo.harit' }],
    });
    const raised = await pushed(gateways, 'phone', 1, phone.open);
    await deliver(raised);
    await ask('owner', 'PATCH', '/auth/me', { languagePref: 'en' });

    const fresh = await context.newPage();
    await fresh.goto('/icon.svg');
    await fresh.goto('/dashboard');
    let all = [];
    await until('both are shown', async () => {
      all = await shown(fresh);
      return all.length === 2;
    });
    const alert = all.find(({ title }) => title.includes('Push chain'));
    assert.equal(alert.lang, 'mr');
    assert.match(alert.title, /^इशारा/);
    assert.match(alert.path, /^\/a\/[\w-]+$/);
    assert.ok(all.some(({ title }) => title === 'Test message from Harit'));

    // What a tap does, but for the system's part of it: the worker is told, and opens the answer page.
    const worker = context.serviceWorkers().find((each) => each.url() === `${origin}/sw.js`);
    const path = await worker.evaluate(async (tag) => {
      const opened = new Promise((seen) => {
        self.clients.openWindow = async (there) => seen(there);
      });
      const [notification] = await self.registration.getNotifications({ tag });
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
      return opened;
    }, alert.tag);
    assert.equal(path, alert.path);
    await until('it is put away', async () => (await shown(fresh)).length === 1);
    await fresh.goto(path);
    await fresh.getByRole('button').first().waitFor();
    assert.match(await fresh.locator('body').innerText(), /Push chain/);

    // Its end takes the place of what is still shown of it.
    await deliver(raised);
    await ask('owner', 'DELETE', `${FARM}/alerts/${id}`);
    await deliver(await pushed(gateways, 'phone', 2, phone.open));
    await fresh.goto('/profile');
    await until('the end stands for both', async () => {
      const now = (await shown(fresh)).filter(({ tag }) => tag === alert.tag);
      return now.length === 1 && now[0].title !== alert.title;
    });
    await fresh.getByRole('button', { name: 'Stop on This device' }).click();
    await fresh.getByRole('button', { name: 'Tell me here' }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
