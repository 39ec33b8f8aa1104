// Setpoints and curves on the real server, from a phone: a target is made, a rule compares with it, a vent follows a curve.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide } from './browser.mjs';
import { PHONE, stage } from './stage.mjs';

const SETPOINTS = `${FARM}/setpoints`;
const RULES = `${FARM}/rules`;
const { ask, open } = stage({ path: '/automation/setpoints', ready: 'main h1', viewport: PHONE });

const dialog = (page) => page.getByRole('dialog');
const sentence = (page) => page.locator('[data-sentence] > div').first().textContent();
const slot = (page, name, nth = 0) => page.locator(`[data-sentence] [data-slot="${name}"]`).nth(nth);
const tap = (from, name) => from.getByRole('button', { name, exact: true }).tap();
const closed = (page) => dialog(page).waitFor({ state: 'detached' });

async function saved(page) {
  await tap(page, 'Save as draft');
  const row = page.locator('[data-saved]');
  await row.waitFor();
  const id = await row.getAttribute('data-rule');
  return (await ask('owner', 'GET', RULES)).find((each) => each.id === id);
}

describe('setpoints and curves', { timeout: 240_000 }, () => {
  it('a target is made, moved by a tap, named by a rule, and says what it moves', async () => {
    const { page, complaints } = await open();
    await tap(page, 'Add Setpoint');
    const form = dialog(page);
    await form.getByLabel('Name').fill('Day temperature');
    await form.locator('[data-point="0"]').tap();
    await form.getByRole('spinbutton', { name: 'Target' }).fill('24');
    await tap(form, '30 min');
    await form.locator('[data-point="1"]').tap();
    await tap(form, 'Sunset');
    await form.getByRole('spinbutton', { name: 'Target' }).fill('24');
    assert.equal(await form.locator('[data-point="0"]').textContent(), '6:00 am: 24 °C, within 30 min');
    assert.equal(await form.locator('[data-point="1"]').textContent(), 'sunset: 24 °C');
    await form.getByText('No rule goes by it yet.').waitFor();
    assert.deepEqual(await accessibilityProblems(page, '[role="dialog"]'), []);
    assert.ok((await tooWide(page)) <= 0);
    await tap(form, 'Save');
    await closed(page);
    const card = page.locator('[data-setpoint]');
    await card.getByText('24 °C', { exact: true }).waitFor();
    await card.locator('[data-drawing]').waitFor();
    await tap(card, 'Day temperature: 0.5 °C more today');
    await card.getByText('24.5 °C', { exact: true }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    const [target] = await ask('owner', 'GET', SETPOINTS);
    assert.deepEqual(
      target.course.map(({ at, value }) => [at, value]),
      [
        ['06:00', 24.5],
        [{ sun: 'sunset', offset_min: 0 }, 24.5],
      ],
    );

    const { page: editor, complaints: more } = await open({
      path: '/automation/rules?new',
      ready: '[data-sentence]',
    });
    await slot(editor, 'value').tap();
    await tap(dialog(editor), 'A setpoint');
    await tap(dialog(editor), '3 °C above');
    assert.deepEqual(await accessibilityProblems(editor, '[role="dialog"]'), []);
    await tap(dialog(editor), 'Done');
    await closed(editor);
    await slot(editor, 'device').tap();
    await tap(dialog(editor), 'Exhaust fan 1');
    await closed(editor);
    assert.equal(
      await sentence(editor),
      'When the temperature in Polyhouse 1 (Capsicum) is above Day temperature + 3 °C, for 5 min, turn on Exhaust fan 1.',
    );
    const rule = await saved(editor);
    assert.deepEqual(
      [rule.trigger.setpoint, rule.trigger.offset, rule.trigger.duration_sec],
      [target.id, 3, 300],
    );
    await card.getByText(/^Moves: .* \(not active\)$/).waitFor();
    await ask('owner', 'DELETE', `${RULES}/${rule.id}`);
    await ask('owner', 'DELETE', `${SETPOINTS}/${target.id}`);
    assert.deepEqual([...complaints, ...more], []);
  });

  it('a vent is made to follow a curve, which is drawn and told', async () => {
    const { page, complaints } = await open({
      path: '/automation/rules?new',
      ready: '[data-sentence]',
    });
    await page.locator('[data-program="ventCurve"]').tap();
    const asks = dialog(page);
    const vents = asks.getByRole('checkbox', { name: 'Roof vents' });
    if (!(await vents.isChecked())) await vents.check();
    await tap(asks, 'Write the rule');
    await closed(page);
    await slot(page, 'curve').tap();
    const curve = dialog(page);
    await curve.locator('[data-drawing]').waitFor();
    await tap(curve, 'Add a point');
    await curve.getByLabel('Point 3: reading').fill('36');
    await curve.getByLabel('Point 2: how far').fill('60');
    await curve.getByText('So that the motor does not move all the time').tap();
    await curve.getByLabel('Ignore changes up to').fill('1');
    assert.deepEqual(await accessibilityProblems(page, '[role="dialog"]'), []);
    assert.ok((await tooWide(page)) <= 0);
    await tap(curve, 'Done');
    await closed(page);
    assert.equal(
      await sentence(page),
      'When the temperature in Polyhouse 1 (Capsicum) stays above 24 °C for 1 min, open Roof vents with the temperature: 0% at 24 °C, 60% at 32 °C and 100% at 36 °C (0% while that is not known); stop when it stays below 22 °C for 1 min.',
    );
    const rule = await saved(page);
    const [action] = rule.actions;
    assert.deepEqual(action.curve.points, [
      [24, 0],
      [32, 60],
      [36, 100],
    ]);
    assert.deepEqual([action.curve.dead_band, action.curve.step, action.curve.least_sec], [1, 5, 60]);
    assert.equal(action.command.action, 'set_position');
    await ask('owner', 'DELETE', `${RULES}/${rule.id}`);
    assert.deepEqual(complaints, []);
  });
});
