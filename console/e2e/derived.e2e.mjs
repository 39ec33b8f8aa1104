// Derived sensors and groups of machines on the real server: made on a phone and at a desk, seen with a value, and used in a rule
// through its editor.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { DESK, PHONE, stage } from './stage.mjs';

const { ask, open } = stage({ still: true });

/** Where pictures go, if somebody wants to look. */
const PICTURES = process.env.HARIT_PICTURES;
const picture = (page, name) =>
  PICTURES && page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: false });

const dialog = (page) => page.getByRole('dialog');
const looks = [
  { name: 'phone', viewport: PHONE },
  { name: 'desk', viewport: DESK },
];

async function sound(page, complaints) {
  assert.deepEqual(await accessibilityProblems(page), []);
  assert.equal(await tooWide(page), 0);
  assert.deepEqual(complaints, []);
}

describe('derived sensors', { timeout: 240_000 }, () => {
  for (const { name: look, viewport } of looks) {
    it(`are made, seen and used in a rule: ${look}`, async () => {
      const name = `VPD of the tomatoes, ${look}`;
      const { page, complaints } = await open({ viewport, path: '/polyhouses/derived' });
      await page.getByRole('button', { name: 'Add derived sensor' }).click();
      const form = dialog(page);
      await form.getByLabel('Where').selectOption('polyhouse:polyhouse-2');
      await form.getByText(/^Now: [\d.]+ kPa$/).waitFor();
      await picture(page, `derived-form-${look}`);
      await sound(page, complaints);
      await form.getByLabel('Name', { exact: true }).fill(name);
      await form.getByRole('button', { name: 'Save' }).click();
      await form.waitFor({ state: 'detached' });

      const card = page.locator('[data-derived]').filter({ has: page.getByRole('heading', { name }) });
      await card.getByText(/^[\d.]+ kPa$/).waitFor();
      await card.getByText('From Temperature and Humidity').waitFor();
      await picture(page, `derived-list-${look}`);
      await sound(page, complaints);

      await page.goto('/polyhouses?open=polyhouse-2');
      await page.getByRole('link', { name: `Derived: what ${name} is made of` }).click();
      await page.locator('[data-derived][data-sought]').getByRole('heading', { name }).waitFor();
      await page.goto('/history?polyhouse=polyhouse-2&type=vapour_pressure_deficit');
      await page.getByRole('link', { name: `Derived: what ${name} is made of` }).waitFor();
      await picture(page, `derived-chart-${look}`);
      await sound(page, complaints);

      await page.goto('/automation/rules?new');
      const word = (slot) => page.locator(`[data-sentence] [data-slot="${slot}"]`).first();
      await word('place').click();
      await dialog(page).getByRole('button', { name: 'Polyhouse 2 (Tomato)', exact: true }).click();
      await word('sensor').click();
      await dialog(page).getByRole('button', { name: 'Vapour pressure deficit (VPD)', exact: true }).click();
      await dialog(page).waitFor({ state: 'detached' });
      await word('value').click();
      await dialog(page).getByRole('spinbutton').fill('1.8');
      await dialog(page).getByRole('button', { name: 'Done', exact: true }).click();
      await dialog(page).waitFor({ state: 'detached' });
      await word('device').click();
      await dialog(page).getByRole('button', { name: 'Exhaust fans', exact: true }).click();
      await dialog(page).waitFor({ state: 'detached' });
      await picture(page, `derived-rule-${look}`);
      await page.getByLabel('Name').fill(`Air in dry air, ${look}`);
      await page.getByRole('button', { name: 'Save as draft' }).click();
      await page.locator('[data-saved]').waitFor();
      const rules = await ask('owner', 'GET', `${FARM}/rules`);
      const rule = rules.find((one) => one.name === `Air in dry air, ${look}`);
      assert.equal(rule.trigger.sensor_type, 'vapour_pressure_deficit');
      assert.equal(rule.trigger.value, 1.8);
      assert.deepEqual(complaints, []);
    });
  }

  it('of a formula say where the mistake is, and what depends on one before it goes', async () => {
    const { page } = await open({ viewport: PHONE, path: '/polyhouses/derived' });
    await page.getByRole('button', { name: 'Add derived sensor' }).tap();
    const form = dialog(page);
    await form.getByLabel('What should it tell?').selectOption('formula');
    await form.getByRole('button', { name: 'Degrees until dew' }).tap();
    await form.getByText(/^Now: [\d.]+$/).waitFor();
    await form.getByLabel('Formula', { exact: true }).fill('t - dew_point(t, wet)');
    const mistake = form.getByText(/^Line 1, character 18: /);
    await mistake.waitFor();
    await mistake.scrollIntoViewIfNeeded();
    await picture(page, 'derived-mistake-phone');
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(await tooWide(page), 0);
    await form.getByLabel('Formula', { exact: true }).fill('t - dew_point(t, rh)');
    await form.getByLabel('Name', { exact: true }).fill('Until dew');
    await form.getByRole('button', { name: 'Save' }).tap();
    await form.waitFor({ state: 'detached' });

    const sensors = await ask('owner', 'GET', `${FARM}/derived-sensors`);
    const dew = sensors.find(({ name }) => name === 'Until dew');
    await ask('owner', 'POST', `${FARM}/derived-sensors`, {
      name: 'Until dew, calm',
      kind: 'moving_mean',
      scope: { type: 'farm' },
      inputs: { input: { sensor: dew.sensorId } },
    });
    await page.getByRole('button', { name: 'Delete Until dew', exact: true }).tap();
    await dialog(page).getByRole('button', { name: 'Delete' }).tap();
    await page
      .getByRole('alert')
      .getByText(/Until dew, calm/)
      .waitFor();
  });
});

describe('groups of machines', { timeout: 120_000 }, () => {
  for (const { name: look, viewport } of looks) {
    it(`are listed with who is in them, changed and deleted: ${look}`, async () => {
      const { page, complaints } = await open({
        viewport,
        path: '/automation/manual',
        ready: '[data-device]',
      });
      await page.getByRole('link', { name: 'Machine groups' }).click();
      await page.getByRole('button', { name: 'Add group' }).click();
      await dialog(page).getByLabel('Name of the group').fill(`Generator, ${look}`);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await dialog(page).waitFor({ state: 'detached' });
      const groups = await ask('owner', 'GET', `${FARM}/device-groups`);
      const { id } = groups.find(({ name }) => name === `Generator, ${look}`);
      const card = page.locator(`[data-group="${id}"]`);
      const limits = (more) =>
        ask('owner', 'PUT', `${FARM}/devices/ph2-vent/limits`, {
          limits: more,
          max_on_sec: null,
          max_pulse_sec_per_hour: null,
        });
      await limits({ groups: [id] });
      await card.getByRole('link', { name: 'Side vents' }).waitFor();
      await picture(page, `groups-${look}`);
      await sound(page, complaints);

      await card.getByRole('button', { name: /^Edit/ }).click();
      await dialog(page).getByLabel('How many run at a time').fill('2');
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await card.getByText('2 at a time').waitFor();

      await card.getByRole('button', { name: /^Delete/ }).click();
      await dialog(page).getByRole('button', { name: 'Delete' }).click();
      await page
        .getByRole('alert')
        .getByText(/Side vents/)
        .waitFor();
      await limits(null);
      await until('nobody is in it', async () => (await card.getByRole('link').count()) === 0);
      await card.getByRole('button', { name: /^Delete/ }).click();
      await dialog(page).getByRole('button', { name: 'Delete' }).click();
      await card.waitFor({ state: 'detached' });
    });
  }
});
