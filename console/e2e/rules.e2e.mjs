// Automation rules on the real server and its simulated farm: written in the editor, deployed, seen to fire and to move a
// device, changed, switched off and deleted, all without a reload.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, until } from './browser.mjs';
import { PHONE, stage } from './stage.mjs';

/** A hold of 2 s and the two readings that it needs, which come every few seconds. */
const FIRES_WITHIN_MS = 45_000;
const RULES = `${FARM}/rules`;

const { ask, open } = stage({ path: '/automation/rules', ready: '[data-rule], [data-preview]' });

const part = (page, name) => page.getByRole('region', { name, exact: true });
const card = (page, name) =>
  page.locator('[data-rule]').filter({ has: page.getByRole('heading', { name, exact: true }) });

/** The vents that the rules here move. */
async function vent() {
  const devices = await ask('owner', 'GET', `${FARM}/devices`);
  return devices.find(({ id }) => id === 'ph2-vent');
}

/** Fills in a rule whose condition holds at once: it is never as cold as -10 °C. */
async function fillIn(page, { name, position }) {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Scope', { exact: true }).selectOption({ label: 'Polyhouse 2 (Tomato)' });
  await page.getByLabel('Priority').fill('9');
  const when = part(page, 'When');
  await when.getByLabel('Value (°C)').fill('-10');
  await when.getByLabel('For how long: unit').selectOption('seconds');
  await when.getByLabel('For how long').first().fill('2');
  const then = part(page, 'Then');
  await then.getByLabel('Device').selectOption({ label: 'Side vents' });
  await then.getByLabel('What to do').selectOption({ label: 'Set position' });
  await then.getByLabel('Value (%)').fill(String(position));
}

describe('automation rules', { timeout: 600_000 }, () => {
  it('are written, deployed, seen to fire, changed, switched off and deleted without a reload', async () => {
    const { page, complaints } = await open();
    await page.evaluate(() => {
      globalThis.sameDocument = true;
    });
    await page.getByRole('button', { name: 'Create New Rule' }).click();
    await page.getByRole('heading', { level: 1, name: 'Create New Rule' }).waitFor();
    await fillIn(page, { name: 'Air the tomatoes', position: 33 });
    assert.equal(
      await page.locator('[data-preview]').textContent(),
      'When the temperature in Polyhouse 2 (Tomato) stays above -10 °C for 2 s, open Side vents to 33%.',
    );
    // The reading that the condition waits for is told beside it.
    await part(page, 'When')
      .getByText(/^Now \d+(\.\d+)? °C$/)
      .waitFor();
    await page.getByRole('button', { name: 'Save as draft' }).click();

    await page.getByText('“Air the tomatoes” is saved as a draft.').waitFor();
    const made = card(page, 'Air the tomatoes');
    for (const text of [
      'Draft',
      'Priority 9',
      'Does nothing until it is deployed',
      'Polyhouse 2 (Tomato)',
      'When Temperature is > -10 °C for 2 s',
      'Side vents → Set position 33%',
    ])
      await made.getByText(text, { exact: true }).waitFor();
    assert.equal(
      (await vent()).claims.some(({ priority }) => priority === 9),
      false,
    );

    await made.getByRole('button', { name: /^Deploy/ }).click();
    await made.getByText('Deployed', { exact: true }).waitFor();
    await made.locator('[data-phase="running"]').waitFor({ timeout: FIRES_WITHIN_MS });
    await made.getByText(/^Running since \d/).waitFor();
    await made.getByText('This rule has control').waitFor();
    const id = await made.getAttribute('data-rule');
    await until('the claim on the vents', async () => (await vent()).claims[0]?.rule === id, FIRES_WITHIN_MS);
    await until('the vents moved', async () => (await vent()).last_sent?.value === 33, FIRES_WITHIN_MS);

    await made.getByRole('button', { name: /^Edit/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Edit Rule' }).waitFor();
    await page.getByText(/^This rule is running now\. Saving a change stops it/).waitFor();
    await part(page, 'Then').getByLabel('Value (%)').fill('44');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('“Air the tomatoes” is saved and deployed.').waitFor();
    await made.getByText('Side vents → Set position 44%').waitFor();
    await made.locator('[data-phase="running"]').waitFor({ timeout: FIRES_WITHIN_MS });
    await until('the vents moved again', async () => (await vent()).last_sent?.value === 44, FIRES_WITHIN_MS);

    await made.getByRole('button', { name: /^Disable/ }).click();
    await made.getByText('Disabled', { exact: true }).waitFor();
    await made.locator('[data-phase="disabled"]').waitFor();
    await until(
      'the vents are free',
      async () => !(await vent()).claims.some(({ rule }) => rule === id),
      FIRES_WITHIN_MS,
    );
    await made.getByRole('button', { name: /^Enable/ }).click();
    await made.locator('[data-phase="running"]').waitFor({ timeout: FIRES_WITHIN_MS });

    let asked;
    page.on('dialog', (dialog) => {
      asked = dialog.message();
      dialog.accept();
    });
    await made.getByRole('button', { name: /^Delete/ }).click();
    await made.waitFor({ state: 'detached' });
    assert.equal(asked, 'Are you sure you want to delete this rule?');
    assert.equal(
      (await ask('owner', 'GET', RULES)).some((rule) => rule.id === id),
      false,
    );
    assert.equal(await page.evaluate(() => globalThis.sameDocument), true);
    assert.deepEqual(complaints, []);
  });

  it('of a rule that somebody else changes, the card changes too', async () => {
    const { page } = await open();
    const fan = page.locator('[data-rule="rule-ph2-cool"]');
    await fan.getByText('Active', { exact: true }).waitFor();
    // Another person, at the api.
    const change = (mode) => ask('owner', 'PATCH', `${RULES}/rule-ph2-cool`, { mode });
    assert.equal((await change('disabled')).mode, 'disabled');
    // Much sooner than the reload of every 30 s.
    await fan.getByText('Disabled', { exact: true }).waitFor({ timeout: 5_000 });
    assert.equal((await change('auto')).mode, 'auto');
    await fan.getByText('Active', { exact: true }).waitFor({ timeout: 5_000 });
  });

  it('show problems at their fields, what the form sees and what the server says', async () => {
    const { page, complaints } = await open({ path: '/automation/rules?new' });
    await page.getByRole('button', { name: 'Save and deploy' }).click();
    const summary = page.getByRole('alert');
    await summary.getByText('3 fields need your attention').waitFor();
    const focused = (locator) => locator.evaluate((element) => element === document.activeElement);
    assert.ok(await focused(page.getByLabel('Name')), 'the first field has the focus');
    assert.deepEqual(await accessibilityProblems(page), []);
    await fillIn(page, { name: 'Refused', position: 33 });
    await summary.waitFor({ state: 'detached' });
    await part(page, 'When').getByLabel('Value (°C)').fill('50.1');
    await page.getByText('It must be from -10 to 50').first().waitFor();
    await part(page, 'When').getByLabel('Value (°C)').fill('20');

    // The device goes away while the form is open: only the server can know.
    await page.route(`**${RULES}`, (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const document = JSON.parse(route.request().postData());
      document.actions[0].device_id = 'gone-for-good';
      return route.continue({ postData: JSON.stringify(document) });
    });
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await summary.getByText('Action 1, Device: This no longer exists').waitFor();
    const device = part(page, 'Then').getByLabel('Device');
    await until('the field has the focus', () => focused(device), 5_000);
    assert.equal(await device.getAttribute('aria-invalid'), 'true');
    await device.selectOption({ label: 'Exhaust fans' });
    await summary.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { level: 1, name: 'Automation Rules' }).waitFor();
    assert.equal(await card(page, 'Refused').count(), 0);
    assert.deepEqual(
      complaints.filter((message) => !/the server responded with a status of 422/.test(message)),
      [],
    );
  });

  it('say what is hazardous, and let it be', async () => {
    const { page, complaints } = await open({ path: '/automation/rules?new' });
    await fillIn(page, { name: 'x', position: 1 });
    await part(page, 'When').getByLabel('Sensor type').selectOption({ label: 'CO₂' });
    await page
      .getByText(
        'No sensor measures the CO₂ in Polyhouse 2 (Tomato). The sensors across the farm are used instead.',
      )
      .waitFor();
    await part(page, 'Then').getByLabel('Device').selectOption({ label: 'Well pump of tank 2' });
    await page
      .getByText(
        'Well pump of tank 2 has no stop condition: it keeps running until the trigger has been false for 2 s.',
      )
      .waitFor();
    assert.deepEqual(complaints, []);
  });

  it('a failed change is said on its card and may be tried again', async () => {
    const { page } = await open();
    const drip = page.locator('[data-rule="rule-drip-1a"]');
    await page.route(`**${RULES}/rule-drip-1a`, (route) => route.abort());
    await drip.getByRole('button', { name: /^Disable/ }).click();
    await drip.getByText('The rule could not be disabled. Network error. Please try again.').waitFor();
    await drip.getByText('Active', { exact: true }).waitFor();
    await page.unroute(`**${RULES}/rule-drip-1a`);
    await drip.getByRole('button', { name: 'Try again' }).click();
    await drip.getByText('Disabled', { exact: true }).waitFor();
    await drip.getByRole('button', { name: /^Enable/ }).click();
    await drip.getByText('Active', { exact: true }).waitFor();
  });

  it('a viewer reads, and sees nothing that would be refused', async () => {
    const { page, complaints } = await open({ who: 'viewer', path: '/automation/rules?new' });
    await page.getByText('You are a Viewer: you can see the rules, but not change them.').waitFor();
    await page.locator('[data-rule]').first().waitFor();
    assert.equal(await page.locator('main button').count(), 0);
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  for (const { language, title, create, sentence } of [
    {
      language: 'en',
      title: 'Automation Rules',
      create: 'Create New Rule',
      sentence:
        /^When the temperature in Polyhouse 2 \(Tomato\) stays above 32 °C for 10 s, run Exhaust fans at 80%; stop when it stays below 30\.5 °C for 10 s\.$/,
    },
    {
      language: 'hi',
      title: 'ऑटोमेशन के नियम',
      create: 'नया नियम बनाएँ',
      sentence:
        /^जब Polyhouse 2 \(Tomato\) में तापमान 32 °C से ऊपर लगातार 10 सेकंड रहे, तो Exhaust fans को 80% स्पीड पर चलाएँ; और जब यह 30\.5 °C से नीचे लगातार 10 सेकंड रहे, तो रोक दें।$/,
    },
    {
      language: 'mr',
      title: 'ऑटोमेशनचे नियम',
      create: 'नवीन नियम तयार करा',
      sentence:
        /^Polyhouse 2 \(Tomato\) मध्ये तापमान ३२ °C पेक्षा जास्त सलग १० सेकंद राहिल्यास Exhaust fans ८०% स्पीडने चालवा; ते ३०\.५ °C पेक्षा कमी सलग १० सेकंद राहिल्यास थांबवा\.$/,
    },
  ]) {
    it(`read well on a phone and to a screen reader: ${language}`, async () => {
      for (const scheme of ['light', 'dark']) {
        const { page, complaints } = await open({ language, scheme, viewport: PHONE });
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        await page.locator('[data-rule="rule-ph2-cool"]').getByText(sentence).waitFor();
        assert.deepEqual(await accessibilityProblems(page), []);
        await page.getByRole('button', { name: create }).click();
        await page.locator('[data-preview]').waitFor();
        assert.deepEqual(await accessibilityProblems(page), []);
        const [wide, narrow] = await page.evaluate(() => [document.body.scrollWidth, window.innerWidth]);
        assert.ok(wide <= narrow, `nothing sticks out: ${wide} in ${narrow}`);
        assert.deepEqual(complaints, []);
      }
    });
  }
});
