// Programs on the real server: rules by the clock and of several conditions, made by the library and in the editor on a phone,
// carried to a file and back.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide } from './browser.mjs';
import { DESK, PHONE, stage } from './stage.mjs';
import { texts } from './texts.mjs';

const RULES = `${FARM}/rules`;
const { ask, open } = stage({ path: '/automation/rules?new', ready: '[data-sentence]', viewport: PHONE });

const sentence = (page) => page.locator('[data-sentence] > div').first().textContent();
const slot = (page, name, nth = 0) => page.locator(`[data-sentence] [data-slot="${name}"]`).nth(nth);
const dialog = (page) => page.getByRole('dialog');

/** Opens a word, does something, and says that it is done. */
async function at(page, name, what, { nth = 0, done = true } = {}) {
  await slot(page, name, nth).tap();
  await what(dialog(page));
  if (done) await dialog(page).getByRole('button', { name: 'Done', exact: true }).tap();
  await dialog(page).waitFor({ state: 'detached' });
}
const pick = (option) => (from) => from.getByRole('button', { name: option, exact: true }).tap();
const type = (number) => (from) => from.getByRole('spinbutton').fill(String(number));

/** Adds a condition of a kind at a place of the rule. */
async function add(page, where, kind) {
  await page.getByRole('button', { name: 'Condition or time' }).tap();
  await pick(where)(dialog(page));
  if (kind) await pick(kind)(dialog(page));
  await dialog(page).waitFor({ state: 'detached' });
}

/** The rule that was made, once it stands in the list, and its sentence there. */
async function saved(page, button = 'Save as draft') {
  await page.getByRole('button', { name: button }).tap();
  const row = page.locator('[data-saved]');
  await row.waitFor();
  const id = await row.getAttribute('data-rule');
  const rule = (await ask('owner', 'GET', RULES)).find((each) => each.id === id);
  return { rule, told: await row.locator('summary span').first().textContent(), row };
}

describe('programs', { timeout: 240_000 }, () => {
  for (const { language, told } of [
    {
      language: 'en',
      told: 'Every day at 6:00 am: turn on Drip valve, Zone A for 10 min 5 s, turn on Well pump of tank 1 after 5 s and turn on Drip valve, Zone B after 10 min (5 s longer than the rule); it stops by itself after 20 min.',
    },
    {
      language: 'hi',
      told: 'हर दिन सुबह 6:00 बजे: Drip valve, Zone A चालू करें (10 मिनट 5 सेकंड), 5 सेकंड रुककर Well pump of tank 1 चालू करें, और 10 मिनट रुककर Drip valve, Zone B चालू करें (नियम रुकने पर भी 5 सेकंड और); 20 मिनट चलकर अपने आप रुक जाएगा।',
    },
    {
      language: 'mr',
      told: 'दररोज सकाळी ६:०० वाजता: १० मिनिटे ५ सेकंद Drip valve, Zone A चालू करा, ५ सेकंद थांबून Well pump of tank 1 चालू करा आणि १० मिनिटे थांबून Drip valve, Zone B चालू करा (नियम थांबल्यावर आणखी ५ सेकंद); २० मिनिटे झाल्यावर आपोआप थांबेल.',
    },
  ]) {
    it(`drip by shift is made of the library on a phone: ${language}`, async () => {
      const { page, complaints } = await open({ language });
      const { rules: t } = texts(language);
      await page.locator('[data-program="dripShift"]').tap();
      const asks = dialog(page);
      await asks.getByRole('button', { name: t.ready.make }).tap();
      await asks.getByText(texts(language).condition.problem.required).waitFor();
      await asks.getByRole('checkbox', { name: 'Drip valve, Zone A' }).check();
      await asks.getByRole('checkbox', { name: 'Drip valve, Zone B' }).check();
      await asks.getByLabel(t.ask.pump).selectOption({ label: 'Well pump of tank 1' });
      assert.deepEqual(await accessibilityProblems(page, '[role="dialog"]'), []);
      assert.ok((await tooWide(page)) <= 0);
      await asks.getByRole('button', { name: t.ready.make }).tap();
      await asks.waitFor({ state: 'detached' });
      assert.equal(await sentence(page), told);
      assert.deepEqual(await accessibilityProblems(page), []);
      const made = await saved(page, t.editor.saveDraft);
      assert.equal(made.told, told);
      const { trigger, run_sec, actions, deployed } = made.rule;
      assert.deepEqual([trigger.schedule.at, run_sec, deployed], [['06:00'], 1_200, false]);
      assert.deepEqual(
        actions.map(({ device_id, delay_sec, for_sec, linger_sec }) => [
          device_id,
          delay_sec,
          for_sec ?? null,
          linger_sec ?? null,
        ]),
        [
          ['ph1-drip-a', 0, 605, null],
          ['ft1-refill', 5, null, null],
          ['ph1-drip-b', 600, null, 5],
        ],
      );
      await ask('owner', 'DELETE', `${RULES}/${made.rule.id}`);
      assert.deepEqual(complaints, []);
    });
  }

  it('every 20 minutes, only if the air is dry, is written in the editor, which says what is missing', async () => {
    const { page, complaints } = await open();
    await page.getByRole('button', { name: 'Repeating', exact: true }).tap();
    await at(page, 'minutes', pick('20 min'), { done: false });
    await at(page, 'to', (from) => from.getByLabel('Time of day').fill('16:30'));
    await at(page, 'days', async (from) => {
      await pick('Saturday')(from);
      await pick('Monday')(from);
      assert.deepEqual(await accessibilityProblems(page, '[role="dialog"]'), []);
    });
    await add(page, 'Only if …', 'A sensor');
    await at(page, 'sensor', pick('Humidity'), { done: false });
    await at(page, 'compared', pick('is below (<)'), { done: false });
    await at(page, 'value', type(55));
    await at(page, 'device', pick('Drip valve, Zone A'), { done: false });
    await page.getByRole('button', { name: 'Save as draft' }).tap();
    const summary = page.getByRole('alert');
    await summary.getByText('When, If that is not known: This is required').waitFor();
    await summary.getByText('How long it runs: This is required').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await at(page, 'unknown', (from) => from.getByRole('button', { name: /^Then it does not start/ }).tap(), {
      done: false,
    });
    await at(page, 'run', pick('30 s'), { done: false });
    await at(page, 'late', pick('10 min'), { done: false });
    const told =
      'On Monday and Saturday every 20 min from 8:00 am to 4:30 pm, only if the humidity in Polyhouse 1 (Capsicum) is below 55% (not if that is not known): turn on Drip valve, Zone A; it stops by itself after 30 s. A start that was missed is made up for within 10 min.';
    assert.equal(await sentence(page), told);
    const { rule, told: listed, row } = await saved(page);
    assert.equal(listed, told);
    assert.deepEqual(rule.trigger.schedule.every, { minutes: 20, from: '08:00', to: '16:30' });
    assert.deepEqual(
      [rule.trigger.schedule.if_unknown, rule.trigger.schedule.days, rule.run_sec],
      ['skip', ['mon', 'sat'], 30],
    );
    // It opens again as it was.
    await row.locator('summary').tap();
    await row.getByRole('button', { name: /^Edit/ }).tap();
    await page.locator('[data-sentence]').waitFor();
    assert.equal(await sentence(page), told);
    await ask('owner', 'DELETE', `${RULES}/${rule.id}`);
    assert.deepEqual(complaints, []);
  });

  it('two conditions with a time of their own, one of them the opposite, start a rule, and two stop it', async () => {
    const { page, complaints } = await open();
    await at(page, 'value', pick('32 °C'), { done: false });
    await add(page, 'It starts only if also …', 'The time of day');
    await at(page, 'to', pick('Sunset'), {});
    await add(page, 'It starts only if also …', 'A device that is on or off');
    await at(page, 'device', pick('Roof vents'), { done: false });
    await slot(page, 'is').tap();
    await dialog(page).getByRole('button', { name: 'More about this condition' }).tap();
    await pick('The opposite')(dialog(page));
    await dialog(page).getByRole('group', { name: 'This condition by itself, for' }).getByText('1 min').tap();
    assert.deepEqual(await accessibilityProblems(page, '[role="dialog"]'), []);
    await pick('Done')(dialog(page));
    await dialog(page).waitFor({ state: 'detached' });
    await page.locator('[data-slot="device"]').last().tap();
    await pick('Exhaust fan 1')(dialog(page));
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop condition' }).tap();
    await add(page, 'It also stops if … (or)', 'Another rule that is running');
    await at(
      page,
      'rule',
      async (from) => {
        await from.getByRole('searchbox').fill('cool polyhouse 1');
        await from.getByRole('group').getByRole('button').first().tap();
      },
      { done: false },
    );
    const said = await sentence(page);
    assert.match(
      said,
      /^When the temperature in Polyhouse 1 \(Capsicum\) is above 32 °C, it is between 8:00 am and sunset and \(it is not so that Roof vents is on, for 1 min\), for 5 min, turn on Exhaust fan 1; stop when the temperature in Polyhouse 1 \(Capsicum\) is below 29 °C or the rule “Cool Polyhouse 1 above 32 °C” is running, for 5 min\.$/,
    );
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.ok((await tooWide(page)) <= 0);
    const { rule, told } = await saved(page);
    assert.equal(told, said);
    assert.equal(rule.trigger.all.length, 3);
    assert.deepEqual(rule.trigger.all[2], { not: { device: 'ph1-vent', is: 'on' }, hold_sec: 60 });
    assert.equal(rule.stop_condition.any.length, 2);
    await ask('owner', 'DELETE', `${RULES}/${rule.id}`);
    assert.deepEqual(complaints, []);
  });

  it('the rules of a house go to a file and come back as drafts, once it is said what stands for what', async () => {
    const { page, complaints } = await open({
      path: '/automation/rules',
      ready: '[data-rule]',
      viewport: DESK,
    });
    const before = await ask('owner', 'GET', RULES);
    const house = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Polyhouse 2 (Tomato)' }) });
    const count = await house.locator('[data-rule]').count();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      house.getByRole('button', { name: 'Export Polyhouse 2 (Tomato)', exact: true }).click(),
    ]);
    assert.equal(file.suggestedFilename(), 'polyhouse-2-tomato.json');
    const text = await readFile(await file.path(), 'utf8');
    const document = JSON.parse(text);
    assert.equal(document.rules.length, count);
    assert.equal(
      document.rules.some((rule) => 'id' in rule || 'created_by' in rule || 'deployed' in rule),
      false,
    );

    // On another farm one device is called otherwise.
    document.devices['ph2-fan'].name = 'Big fans';
    document.devices['other-fan'] = document.devices['ph2-fan'];
    const moved = JSON.stringify(document).replaceAll('"device_id":"ph2-fan"', '"device_id":"other-fan"');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('heading', { level: 1, name: 'Import rules' }).waitFor();
    const give = (name, content) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) });
    await give('holiday.json', '{"format":"harit-rules","version":1,"rules":[{"key":"a","name":"x"}]}');
    const alert = page.getByRole('alert');
    await alert.getByText('“holiday.json” cannot be imported. Nothing was taken from it.').waitFor();
    await alert.getByText('rules[0].scope is missing').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);

    await give('moved.json', moved);
    await page
      .getByText(
        /^When the temperature in Polyhouse 2 \(Tomato\) stays above 32 °C for 10 s, run Big fans at 80%/,
      )
      .waitFor();
    const make = page.getByRole('button', { name: `Make ${count} drafts` });
    await make.click();
    await page.getByText('Choose what stands for each place and device.').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByLabel('For “Big fans”').selectOption({ label: 'Exhaust fans' });
    await make.click();
    await page.getByText(`${count} rules were imported as drafts.`).waitFor();
    const made = (await ask('owner', 'GET', RULES)).filter(
      ({ id }) => !before.some((each) => each.id === id),
    );
    assert.equal(made.length, count);
    for (const rule of made) {
      const origin = before.find(({ name }) => name === rule.name);
      // A path is a label.
      const said = ({ trigger, stop_condition, priority }) =>
        JSON.stringify([trigger, stop_condition, priority], (key, value) => (key === 'path' ? null : value));
      assert.equal(said(rule), said(origin));
      assert.equal(rule.deployed, false);
      assert.deepEqual(
        rule.actions.map(({ device_id, command }) => [device_id, command]),
        origin.actions.map(({ device_id, command }) => [device_id, command]),
      );
      await ask('owner', 'DELETE', `${RULES}/${rule.id}`);
    }
    assert.deepEqual(complaints, []);
  });
});
