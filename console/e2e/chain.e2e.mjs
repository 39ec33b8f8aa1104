// The whole chain on the running server: a sensor goes wrong, the alert is raised, its message comes to whom it is for, who answers
// by its link on a phone that never signed in; the owner's console says who is on it, and nobody else is told.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, unexpected, until } from './browser.mjs';
import { came, gatewaysOf } from './phone.mjs';
import { DESK, PHONE, stage } from './stage.mjs';

/** Half a degree a second: past the alert's limit within a minute, and within what a sensor can say for two. */
const FAULT = 'drift:ph1-temp-1:per-hour=1800:after=15s';
const RAISED_WITHIN_MS = 150_000;

const demo = stage({ viewport: DESK, settings: { HARIT_SIMULATE_FAULTS: FAULT } });
const { ask, open } = demo;

const alert = {
  name: 'House much too hot',
  repeatsIn: 1,
  repeatUnit: 'minutes',
  channels: ['EMAIL'],
  severity: 'critical',
  evidence: 'worst',
  scope: { type: 'polyhouse', polyhouseId: 'polyhouse-1' },
  conditions: [{ sensor: 'Temperature', operator: '>', value: 45, unit: '°C' }],
  subscribers: [{ email: 'nobody@elsewhere.example' }],
};
const chain = {
  steps: [
    { who: { kind: 'role', role: 'FARM_MANAGER' }, afterMin: 0, severities: ['critical'] },
    { who: { kind: 'role', role: 'OWNER' }, afterMin: 1, severities: ['critical'] },
  ],
  duties: [],
};

describe('from the sensor to the answer', { timeout: 300_000 }, () => {
  it('is one chain that an answer ends', async () => {
    await ask('manager', 'PATCH', '/auth/me', { languagePref: 'en' });
    await ask('owner', 'PUT', `${FARM}/escalation`, chain);
    const { id } = await ask('owner', 'POST', `${FARM}/alerts`, alert);
    const gateways = await gatewaysOf(demo.server);
    // The webhook is the operator's.
    const ours = ({ channel, subject }) => channel !== 'webhook' && subject.includes(alert.name);

    const [told] = await came(gateways, ours, 1, RAISED_WITHIN_MS);
    const raisedBy = Date.now();
    assert.equal(told.to, 'manager@demo.harit');
    assert.match(told.text, /temperature [\d.]+ °C \(limit: above 45 °C\)/);
    const link = told.text.match(/https?:\/\/\S+\/a\/\S+/)?.[0];
    assert.ok(link, told.text);
    const { status } = await ask('owner', 'GET', `${FARM}/alerts/${id}`);
    const incident = `${FARM}/incidents/${encodeURIComponent(status.incident.id)}`;
    const before = await ask('owner', 'GET', incident);
    assert.equal(before.next.step, 1, 'the owner is told in a minute, if nobody answers');

    // The owner looks at it meanwhile.
    const owner = await open({ path: `/alerts/${encodeURIComponent(status.incident.id)}` });
    const state = owner.page.locator('main header [role=status]');
    await state.getByText('Nobody has answered yet').waitFor();
    await owner.page.evaluate(() => Object.assign(globalThis, { stillTheSamePage: true }));

    // A phone that never signed in; with the worker that an earlier visit may have left.
    const phone = await open({ who: null, viewport: PHONE, language: null });
    await phone.page.goto(link);
    assert.equal(await phone.page.evaluate(() => localStorage.getItem('token')), null);
    await phone.page.getByText(alert.name).first().waitFor();
    assert.deepEqual(await accessibilityProblems(phone.page), []);
    assert.ok((await tooWide(phone.page)) <= 0);
    const mine = phone.page.getByRole('button', { name: 'I am on it' });
    const box = await mine.boundingBox();
    assert.ok(box && box.height >= 44, JSON.stringify(box));
    await mine.click();
    const { user } = await demo.session('manager');
    await phone.page.getByText(`${user.name}: I am on it`).waitFor();

    // By the live connection: nothing was loaded anew.
    await state.getByText(`${user.name} is on it`).waitFor({ timeout: 10_000 });
    assert.ok(await owner.page.evaluate(() => globalThis.stillTheSamePage === true));
    const after = await ask('owner', 'GET', incident);
    assert.equal(after.next, null, 'the chain has ended');
    assert.equal(after.answers[0].way, 'EMAIL');

    // Past the minute of the next step and of the repeat nobody else was told, nor anybody again.
    const rest = raisedBy + 66_000 - Date.now();
    await new Promise((wake) => setTimeout(wake, Math.max(0, rest)));
    const all = await came(gateways, ours);
    assert.deepEqual(
      all.map(({ to }) => to),
      ['manager@demo.harit'],
    );
    for (const { complaints } of [owner, phone]) {
      // What a machine that is busy is late with is no complaint of the page's.
      const late = /^warning: The resource .* was preloaded/;
      assert.deepEqual(
        unexpected(complaints).filter((said) => !late.test(said)),
        [],
      );
    }

    // The link shows how it stands, and later that it is over.
    await phone.page.goto(link);
    await phone.page.getByText(`${user.name}: I am on it`).waitFor();
    await ask('owner', 'DELETE', `${FARM}/alerts/${id}`);
    await until('its end is told to who was told', async () => {
      const seen = await came(gateways, ours, 2);
      return seen[1].to === 'manager@demo.harit';
    });
  });
});
