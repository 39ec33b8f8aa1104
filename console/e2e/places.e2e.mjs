// Polyhouses with their zones, sensors and devices, and reservoirs, in a real browser against the real server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessibilityProblems, changesLive, tooWide, unexpected, WITHIN_MS } from './browser.mjs';
import { DIALOG_LOOKS, nameOf, PHONE, stage } from './stage.mjs';

const { open } = stage();

const polyhouse = (page, name) => page.locator('[data-polyhouse]').filter({ hasText: name });
const reservoir = (page, name) => page.locator('[data-reservoir]').filter({ hasText: name });
const panel = (page, name) => page.getByRole('region', { name });

/** Fills the open form and saves it. */
async function fillIn(page, title, fields) {
  const form = page.getByRole('dialog', { name: title });
  for (const [label, value] of Object.entries(fields))
    await form.getByLabel(new RegExp(`^${label}`)).fill(value);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
}

/** Says yes to the question that is asked before something is deleted. */
const accept = (page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();

describe('places', { timeout: 400_000 }, () => {
  it('shows the polyhouses of the farm, each with its zones, capacity and verdict', async () => {
    const { page, complaints } = await open({ path: '/polyhouses' });
    await page.getByText('2 Active Polyhouses', { exact: true }).waitFor();
    const first = polyhouse(page, 'Polyhouse 1');
    await first.getByText('2 Zones', { exact: true }).waitFor();
    await first.locator('[data-verdict]').waitFor();
    await polyhouse(page, 'Polyhouse 2').getByText('1 Zone', { exact: true }).waitFor();
    await first.getByRole('link', { name: 'Polyhouse day' }).click();
    await page.waitForURL('**/day?polyhouse=*');
    assert.deepEqual(complaints, []);
  });

  it('opens a polyhouse: what stands in each zone, live', async () => {
    const { page, complaints } = await open({ path: '/polyhouses' });
    await page.getByRole('link', { name: /^Polyhouse 1/ }).click();
    await page.getByRole('heading', { level: 1, name: /^Polyhouse 1/ }).waitFor();
    await panel(page, /^Zone A/)
      .locator('[data-sensor]')
      .first()
      .waitFor();
    await panel(page, /^Zone A/)
      .locator('[data-device]')
      .first()
      .waitFor();
    const values = () => page.locator('[data-sensor]').allInnerTexts();
    await changesLive(page, '/latest-telemetry', values, WITHIN_MS);
    assert.deepEqual(complaints, []);
  });

  it('adds, edits and deletes a polyhouse with its zones, seen at once by others', async () => {
    const [one, two] = await Promise.all(
      ['owner', 'viewer'].map((who) => open({ path: '/polyhouses', who })),
    );
    const { page } = one;
    await page.getByRole('button', { name: 'Add polyhouse' }).click();
    await fillIn(page, 'Add polyhouse', { Name: 'Rose house', Capacity: '900 plants' });
    const card = polyhouse(page, 'Rose house');
    await card.getByText('900 plants').waitFor();
    await card.getByText('0 Zones', { exact: true }).waitFor();
    await two.page.getByText('3 Active Polyhouses', { exact: true }).waitFor();

    // A name that is taken is refused, at the field.
    await page.getByRole('button', { name: 'Add polyhouse' }).click();
    const again = page.getByRole('dialog', { name: 'Add polyhouse' });
    await again.getByLabel(/^Name/).fill('Rose house');
    await again.getByRole('button', { name: 'Save' }).click();
    await again.locator('[aria-invalid="true"]').waitFor();
    await again.getByRole('button', { name: 'Cancel' }).click();

    await card.getByRole('link', { name: 'Rose house' }).click();
    await page.getByText('This polyhouse has no zones yet.').waitFor();
    await page.getByRole('button', { name: 'Add zone' }).click();
    await fillIn(page, 'Add zone', { Name: 'East bay' });
    await page.getByRole('button', { name: 'Edit East bay' }).click();
    await fillIn(page, 'Rename zone', { Name: 'West bay' });
    await panel(page, 'West bay').getByText('No sensors or devices here.').waitFor();
    await polyhouse(two.page, 'Rose house').getByText('West bay').waitFor();
    await page.getByRole('button', { name: 'Delete West bay' }).click();
    await page.getByRole('dialog', { name: 'Are you sure you want to delete this zone?' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'the question');
    await accept(page);
    await page.getByText('This polyhouse has no zones yet.').waitFor();

    await page.getByRole('button', { name: 'Edit Rose house' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit polyhouse' });
    await edit.getByRole('switch', { name: 'In use' }).click();
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    await page.getByText('Inactive', { exact: true }).waitFor();
    await two.page.getByText('2 Active Polyhouses', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete Rose house' }).click();
    await accept(page);
    await page.getByRole('heading', { level: 1, name: 'Polyhouses' }).waitFor();
    await card.waitFor({ state: 'detached' });
    assert.deepEqual(unexpected([...one.complaints, ...two.complaints]), []);
  });

  it('says why a polyhouse that is in use stays', async () => {
    const { page, complaints } = await open({ path: '/polyhouses' });
    await page.getByRole('button', { name: /^Delete Polyhouse 1/ }).click();
    await accept(page);
    const said = page.getByRole('alert');
    await said.waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'what is said in passing');
    assert.ok((await said.innerText()).length > 20, await said.innerText());
    assert.equal(await polyhouse(page, 'Polyhouse 1').count(), 1);
    assert.deepEqual(unexpected(complaints), []);
  });

  it('renames and moves a sensor and a device', async () => {
    const { page, complaints } = await open({ path: '/polyhouses?open=polyhouse-1', viewport: PHONE });
    await page.getByRole('button', { name: 'Edit Light at crop height' }).tap();
    const form = page.getByRole('dialog', { name: 'Edit sensor' });
    await form.getByLabel(/^Name/).fill('Light over the beds');
    await form
      .getByLabel('Place')
      .selectOption({ label: 'Polyhouse 1 (Capsicum) / Zone B (Yellow capsicum)' });
    await form.getByRole('button', { name: 'Save' }).tap();
    await form.waitFor({ state: 'detached' });
    await panel(page, /^Zone B/)
      .getByText('Light over the beds')
      .waitFor();

    await page.getByRole('button', { name: 'Edit Roof vents' }).tap();
    const device = page.getByRole('dialog', { name: 'Edit device' });
    await device.getByLabel(/^Name/).fill('Ridge vents');
    await device.getByRole('button', { name: 'Save' }).tap();
    await device.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Ridge vents' }).tap();
    await page.waitForURL('**/automation/manual?device=ph1-vent');
    assert.deepEqual(complaints, []);
  });

  it('shows the reservoirs with their levels, by number, word and bar', async () => {
    const { page, complaints } = await open({ path: '/reservoirs' });
    await page.getByText('2 Reservoirs', { exact: true }).waitFor();
    const first = reservoir(page, 'Fertigation tank 1');
    await first.getByText(/^[\d,]+ \/ 2,000 L$/).waitFor();
    const percent = Number.parseInt(await first.getByText(/^\d+%$/).innerText(), 10);
    const bar = first.getByRole('progressbar');
    assert.ok(Math.abs(Number(await bar.getAttribute('aria-valuenow')) - percent) <= 1);
    const word = percent >= 50 ? 'Enough' : percent >= 20 ? 'Getting low' : 'Nearly empty';
    await first.getByText(word, { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('adds, edits and deletes a reservoir, seen at once by others', async () => {
    const [one, two] = await Promise.all(
      ['owner', 'viewer'].map((who) => open({ path: '/reservoirs', who })),
    );
    const { page } = one;
    await page.getByRole('button', { name: 'Add reservoir' }).click();
    await fillIn(page, 'Add reservoir', {
      Name: 'Well tank',
      'Capacity in litres': '2500.5',
      'Last refill': '2026-01-05',
    });
    const card = reservoir(two.page, 'Well tank');
    await card.getByText('– / 2,501 L').waitFor();
    await card.getByText('5 Jan 2026').waitFor();
    await card.getByText('No reading', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit Well tank' }).click();
    await fillIn(page, 'Edit reservoir', { Name: 'Pond', 'Capacity in litres': '', 'Last refill': '' });
    await reservoir(two.page, 'Pond').getByText('N/A').first().waitFor();
    assert.equal(await reservoir(two.page, 'Pond').getByText('N/A').count(), 2);
    await page.getByRole('button', { name: 'Delete Pond' }).click();
    await accept(page);
    await reservoir(two.page, 'Pond').waitFor({ state: 'detached' });
    assert.deepEqual([...one.complaints, ...two.complaints], []);
  });

  for (const who of ['manager', 'viewer']) {
    it(`shows a ${who} no control that would be refused`, async () => {
      const { page, complaints } = await open({ path: '/polyhouses', who });
      const controls = page.locator('main').getByRole('button', { name: /Add|Edit|Delete/ });
      await page.locator('[data-polyhouse]').first().waitFor();
      assert.equal(await controls.count(), 0);
      await page.getByRole('link', { name: /^Polyhouse 1/ }).click();
      await page.locator('[data-sensor]').first().waitFor();
      assert.equal(await controls.count(), 0);
      await page.goto('/reservoirs');
      await page.locator('[data-reservoir]').first().waitFor();
      assert.equal(await controls.count(), 0);
      assert.deepEqual(complaints, []);
    });
  }

  for (const shown of DIALOG_LOOKS) {
    it(`leaves axe nothing to say: ${nameOf(shown)}`, async () => {
      const { page, complaints } = await open({ path: '/polyhouses', ...shown });
      const look = async (what) => {
        assert.deepEqual(await accessibilityProblems(page), [], what);
        assert.ok((await tooWide(page)) <= 0, `${what}: nothing is wider than the screen`);
      };
      await page.locator('[data-polyhouse]').first().waitFor();
      await look('polyhouses');
      await page.goto('/polyhouses?open=polyhouse-1');
      await page.locator('[data-sensor]').first().waitFor();
      await look('a polyhouse');
      await page.locator('[data-sensor] button').first().click();
      await page.getByRole('dialog').locator('form').waitFor();
      await look('form');
      await page.goto('/reservoirs');
      await page.locator('[data-reservoir]').first().waitFor();
      await look('reservoirs');
      assert.deepEqual(complaints, []);
    });
  }
});
