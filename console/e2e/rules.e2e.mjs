// Automation rules on the real server and its simulated farm: written in the editor, deployed, seen to fire and to move a
// device, changed, switched off and deleted, all without a reload.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, settled, until } from './browser.mjs';
import { DIALOG_LOOKS, nameOf, PHONE, stage } from './stage.mjs';

/** A hold of 2 s and the two readings that it needs, which come every few seconds. */
const FIRES_WITHIN_MS = 45_000;
const RULES = `${FARM}/rules`;

const { ask, open } = stage({ path: '/automation/rules', ready: '[data-rule], [data-sentence]' });

const card = (page, name) =>
  page.locator('[data-rule]').filter({ has: page.getByRole('heading', { name, exact: true }) });
const sentence = (page) => page.locator('[data-sentence] > div').first();
const word = (page, name) => page.locator('[data-sentence]').getByRole('button', { name });

/** Opens the choice of a word. */
async function choice(page, name) {
  await word(page, name).click();
  return page.getByRole('dialog');
}

/** Chooses one of what a word offers. */
async function choose(page, name, option) {
  await (await choice(page, name)).getByRole('button', { name: option, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Types the number of a word. */
async function say(page, name, number, unit) {
  const dialog = await choice(page, name);
  if (unit) await dialog.getByRole('button', { name: unit, exact: true }).click();
  await dialog.getByRole('spinbutton').fill(String(number));
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** The vents that the rules here move. */
async function vent() {
  const devices = await ask('owner', 'GET', `${FARM}/devices`);
  return devices.find(({ id }) => id === 'ph2-vent');
}

/** Writes a rule whose condition holds at once: it is never as cold as -10 °C. */
async function fillIn(page, { name, position }) {
  await choose(page, /^Scope: /, 'Polyhouse 2 (Tomato)');
  await say(page, /^When, Value/, -10);
  await say(page, /^When, For how long/, 2, 'seconds');
  await choose(page, /^Action 1, Device/, 'Side vents');
  await choose(page, /^Action 1, What to do/, 'Set position');
  await say(page, /^Action 1, Value/, position);
  await page.getByLabel('Name').fill(name);
  const more = page.locator('form details').first();
  if (!(await more.getAttribute('open').then((open) => open !== null))) await more.locator('summary').click();
  await page.getByLabel('Priority').fill('9');
}

/** Taps, and how many there were. */
function finger() {
  let taps = 0;
  return {
    tap: async (locator) => {
      await locator.tap();
      taps += 1;
    },
    get taps() {
      return taps;
    },
  };
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
      await sentence(page).textContent(),
      'When the temperature in Polyhouse 2 (Tomato) stays above -10 °C for 2 s, open Side vents to 33%.',
    );
    // The reading that the condition waits for is told beside it.
    await page.getByText(/^Now \d+(\.\d+)? °C$/).waitFor();
    await page.getByRole('button', { name: 'Save as draft' }).click();

    await page.getByText('“Air the tomatoes” is saved as a draft.').waitFor();
    const made = card(page, 'Air the tomatoes');
    await made.locator('[data-mark="draft"]').waitFor();
    await made.locator('summary').click();
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
    await say(page, /^Action 1, Value/, 44);
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
    await fan.locator('[data-mark="idle"], [data-mark="holding"], [data-mark="running"]').waitFor();
    // Another person, at the api.
    const change = (mode) => ask('owner', 'PATCH', `${RULES}/rule-ph2-cool`, { mode });
    assert.equal((await change('disabled')).mode, 'disabled');
    // Much sooner than the reload of every 30 s.
    await fan.locator('[data-mark="disabled"]').waitFor({ timeout: 5_000 });
    assert.equal((await change('auto')).mode, 'auto');
    await fan.locator('[data-mark="disabled"]').waitFor({ state: 'detached', timeout: 5_000 });
  });

  it('show problems at their words, what the form sees and what the server says', async () => {
    const { page, complaints } = await open({ path: '/automation/rules?new' });
    await page.getByRole('button', { name: 'Save and deploy' }).click();
    const summary = page.getByRole('alert');
    await summary.getByText('2 fields need your attention').waitFor();
    const focused = (locator) => locator.evaluate((element) => element === document.activeElement);
    assert.ok(await focused(word(page, /^When, Value/)), 'the first word has the focus');
    assert.deepEqual(await accessibilityProblems(page), []);
    await fillIn(page, { name: 'Refused', position: 33 });
    await summary.waitFor({ state: 'detached' });
    const value = await choice(page, /^When, Value/);
    await value.getByRole('spinbutton').fill('50.1');
    await value.getByText('It must be from -10 to 50').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await value.getByRole('spinbutton').fill('20');
    await value.getByRole('button', { name: 'Done' }).click();

    // The device goes away while the form is open: only the server can know.
    await page.route(`**${RULES}`, (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const document = JSON.parse(route.request().postData());
      document.actions[0].device_id = 'gone-for-good';
      return route.continue({ postData: JSON.stringify(document) });
    });
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await summary.getByText('Action 1, Device: This no longer exists').waitFor();
    const device = word(page, /^Action 1, Device: Side vents This no longer exists/);
    await until('the word has the focus', () => focused(device), 5_000);
    await choose(page, /^Action 1, Device/, 'Exhaust fans');
    await summary.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { level: 1, name: 'Automation Rules' }).waitFor();
    assert.equal(await card(page, 'Refused').count(), 0);
    assert.deepEqual(
      complaints.filter((message) => !/the server responded with a status of 422/.test(message)),
      [],
    );
  });

  it('say what is hazardous at the sentence, and let it be', async () => {
    const { page, complaints } = await open({ path: '/automation/rules?new' });
    await fillIn(page, { name: 'x', position: 1 });
    await choose(page, /^When, Sensor type/, 'CO₂');
    await say(page, /^When, Value/, 900);
    await page
      .getByText(
        'No sensor measures the CO₂ in Polyhouse 2 (Tomato). The sensors across the farm are used instead.',
      )
      .waitFor();
    await page.locator('[data-slot="sensor"][data-warned]').waitFor();
    await choose(page, /^Action 1, Device/, 'Well pump of tank 2');
    await page
      .getByText(
        'Well pump of tank 2 has no stop condition: it keeps running until the trigger has been false for 2 s.',
      )
      .waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  it('are made on a phone in nine taps, on one screen, and seen after that', async () => {
    const { page, complaints } = await open({ viewport: PHONE });
    const hand = finger();
    await hand.tap(page.getByRole('button', { name: 'Create New Rule' }));
    const dialog = page.getByRole('dialog');
    await hand.tap(word(page, /^When, Value/));
    await hand.tap(dialog.getByRole('button', { name: '35 °C' }));
    await hand.tap(word(page, /^Action 1, Device/));
    await hand.tap(dialog.getByRole('button', { name: 'Exhaust fan 1' }));
    await dialog.waitFor({ state: 'detached' });
    await hand.tap(page.getByRole('button', { name: 'Stop condition' }));
    await hand.tap(word(page, /^Stop, For how long/));
    await hand.tap(dialog.getByRole('button', { name: '2 min', exact: true }));
    await dialog.waitFor({ state: 'detached' });
    assert.equal(
      await sentence(page).textContent(),
      'When the temperature in Polyhouse 1 (Capsicum) stays above 35 °C for 5 min, turn on Exhaust fan 1; stop when it stays below 32 °C for 2 min.',
    );
    // With what the server says to it.
    await page.getByText(/^“Cool Polyhouse 1 above 32 °C” also drives Exhaust fan 1/).waitFor();
    const { height } = await page.locator('main form').boundingBox();
    assert.ok(height <= PHONE.height, `the form is one screen: ${height}`);
    await hand.tap(page.getByRole('button', { name: 'Save and deploy' }));
    const made = card(page, 'Temperature above 35 °C: Exhaust fan 1');
    await made.locator('xpath=self::*[@data-saved]').waitFor();
    assert.ok(hand.taps <= 9, `${hand.taps} taps`);
    await until('it is in sight', async () => {
      const { y } = await made.boundingBox();
      return y > 0 && y < PHONE.height - 100;
    });
    const rules = await ask('owner', 'GET', RULES);
    const { trigger, actions, stop_condition, deployed, id } = rules.find(
      ({ name }) => name === 'Temperature above 35 °C: Exhaust fan 1',
    );
    const { operator, value, duration_sec } = trigger;
    assert.deepEqual([operator, value, duration_sec, deployed], ['gt', 35, 300, true]);
    assert.deepEqual(
      actions.map((each) => [each.device_id, each.command.action]),
      [['ph1-fan-1', 'on']],
    );
    assert.deepEqual(
      [stop_condition.operator, stop_condition.value, stop_condition.duration_sec],
      ['lt', 32, 120],
    );
    await ask('owner', 'DELETE', `${RULES}/${id}`);
    assert.deepEqual(complaints, []);
  });

  it('are made of a usual job in three taps', async () => {
    const { page, complaints } = await open({ viewport: PHONE });
    const hand = finger();
    await hand.tap(page.getByRole('button', { name: 'Create New Rule' }));
    await page.locator('[data-job]').first().waitFor();
    const jobs = await page.locator('[data-job]').evaluateAll((all) => all.map(({ dataset }) => dataset.job));
    // What this house has sensors and devices for; it has no heater.
    assert.deepEqual(jobs, [
      'coolFan',
      'coolVent',
      'coolFog',
      'dryFan',
      'humidify',
      'keepWarm',
      'drip',
      'drip',
      'noDrip',
      'fill',
      'acid',
      'base',
      'feed',
      'air',
    ]);
    await hand.tap(page.locator('[data-job="fill"]'));
    assert.equal(
      await sentence(page).textContent(),
      'When the reservoir level in Polyhouse 1 (Capsicum) stays below 40% for 1 min, turn on Well pump of tank 1; stop when it stays above 90% for 10 s.',
    );
    await hand.tap(page.getByRole('button', { name: 'Save as draft' }));
    const made = card(page, 'Reservoir level below 40%: Well pump of tank 1');
    await made.locator('[data-mark="draft"]').waitFor();
    assert.equal(hand.taps, 3);
    await ask('owner', 'DELETE', `${RULES}/${await made.getAttribute('data-rule')}`);
    assert.deepEqual(complaints, []);
  });

  it('are found among forty in two taps', async () => {
    const scope = { type: 'polyhouse', polyhouseId: 'polyhouse-1' };
    const made = [];
    for (let nth = 1; nth <= 30; nth += 1) {
      const rule = await ask('owner', 'POST', RULES, {
        name: `Bench ${nth}`,
        mode: 'auto',
        priority: 5,
        scope,
        trigger: { sensor_type: 'temperature', operator: 'gt', value: 49, duration_sec: 300 },
        actions: [{ device_id: 'ph1-fan-1', command: { action: 'on' }, delay_sec: 0 }],
        on_signal_lost: 'stop',
        deployed: false,
      });
      made.push(rule.id);
    }
    const { page, complaints } = await open({ viewport: PHONE });
    await until('all are there', async () => (await page.locator('[data-rule]').count()) >= 40);
    const hand = finger();
    await hand.tap(page.getByRole('searchbox', { name: 'Search rules' }));
    await page.keyboard.type('bench 27');
    await page.locator('[data-rule]').nth(1).waitFor({ state: 'detached' });
    await hand.tap(card(page, 'Bench 27').locator('summary'));
    await card(page, 'Bench 27').getByRole('button', { name: 'Edit Bench 27' }).waitFor();
    assert.equal(hand.taps, 2);
    for (const id of made) await ask('owner', 'DELETE', `${RULES}/${id}`);
    assert.deepEqual(complaints, []);
  });

  it('have numbers that are turned by a finger, and by keys', async () => {
    const { page, complaints } = await open({ path: '/automation/rules?new', viewport: PHONE });
    const dialog = await choice(page, /^When, Value/);
    const wheel = dialog.getByRole('spinbutton');
    const number = () => wheel.getAttribute('aria-valuenow').then(Number);
    await settled(page);
    assert.equal(await number(), 32);
    const box = await wheel.boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    // Slowly, so that it does not run on.
    for (let moved = 0; moved <= 88; moved += 8) {
      await page.mouse.move(x, y - moved);
      await page.waitForTimeout(30);
    }
    await page.waitForTimeout(300);
    await page.mouse.move(x, y - 89);
    await page.mouse.up();
    assert.equal(await number(), 33);
    // A neighbour is tapped.
    await page.mouse.click(x, y - 44);
    assert.equal(await number(), 32.5);
    await wheel.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('PageUp');
    assert.equal(await number(), 38);
    assert.equal(await wheel.getAttribute('aria-valuetext'), '38 °C');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until('the word has the focus again', () =>
      word(page, 'When, Value: 38 °C').evaluate((element) => element === document.activeElement),
    );
    assert.deepEqual(complaints, []);
  });

  it('a failed change is said at its line and may be tried again', async () => {
    const { page } = await open();
    const drip = page.locator('[data-rule="rule-drip-1a"]');
    await page.route(`**${RULES}/rule-drip-1a`, (route) => route.abort());
    await drip.locator('summary').click();
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

  const words = {
    en: {
      title: 'Automation Rules',
      create: 'Create New Rule',
      told: /^When the temperature in Polyhouse 2 \(Tomato\) stays above 32 °C for 10 s, run Exhaust fans at 80%; stop when it stays below 30\.5 °C for 10 s\.$/,
    },
    hi: {
      title: 'ऑटोमेशन के नियम',
      create: 'नया नियम बनाएँ',
      told: /^जब Polyhouse 2 \(Tomato\) में तापमान 32 °C से ऊपर लगातार 10 सेकंड रहे, तो Exhaust fans को 80% स्पीड पर चलाएँ; और जब यह 30\.5 °C से नीचे लगातार 10 सेकंड रहे, तो रोक दें।$/,
    },
    mr: {
      title: 'ऑटोमेशनचे नियम',
      create: 'नवीन नियम तयार करा',
      told: /^Polyhouse 2 \(Tomato\) मध्ये तापमान ३२ °C पेक्षा जास्त सलग १० सेकंद राहिल्यास Exhaust fans ८०% स्पीडने चालवा; ते ३०\.५ °C पेक्षा कमी सलग १० सेकंद राहिल्यास थांबवा\.$/,
    },
  };
  for (const look of DIALOG_LOOKS) {
    it(`read well to a screen reader: ${nameOf(look)}`, async () => {
      const { page, complaints } = await open(look);
      const { title, create, told } = words[look.language];
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      const cool = page.locator('[data-rule="rule-ph2-cool"]');
      await cool.locator('summary').click();
      await cool.getByText(told).last().waitFor();
      // What the page's head covers by halves is not too small.
      await page.evaluate(() => window.scrollTo(0, 0));
      assert.deepEqual(await accessibilityProblems(page), []);
      await page.getByRole('button', { name: create }).click();
      await page.locator('[data-sentence]').waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      for (const slot of ['sensor', 'place', 'compared', 'value', 'duration', 'do', 'device', 'stops']) {
        await page.locator(`[data-slot="${slot}"]`).first().click();
        await page.getByRole('dialog').waitFor();
        assert.deepEqual(await accessibilityProblems(page), [], slot);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      const [wide, narrow] = await page.evaluate(() => [document.body.scrollWidth, window.innerWidth]);
      assert.ok(wide <= narrow, `nothing sticks out: ${wide} in ${narrow}`);
      assert.deepEqual(complaints, []);
    });
  }
});
