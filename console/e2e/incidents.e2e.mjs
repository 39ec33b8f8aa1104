// An alert that is raised, and two people: what one answers the other sees, and what is answered is not told again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide } from './browser.mjs';
import { DESK, PHONE, stage } from './stage.mjs';

/** The simulated sensors send a few readings a minute. */
const RAISED_WITHIN_MS = 90_000;
/** Sooner than the next look of a page whose live connection is down. */
const SOON_MS = 4_000;

const { ask, open } = stage({ viewport: PHONE });

const warm = (name, more = {}) => ({
  name,
  repeatsIn: 30,
  repeatUnit: 'minutes',
  channels: [],
  severity: 'critical',
  scope: { type: 'polyhouse', polyhouseId: 'polyhouse-1' },
  conditions: [{ sensor: 'Temperature', operator: '>', value: 0, unit: '°C' }],
  subscribers: [{ email: 'owner@demo.harit' }],
  ...more,
});

/** The alert is made and raised; its incident's id. */
async function raise(name) {
  const { id } = await ask('owner', 'POST', `${FARM}/alerts`, warm(name));
  const until = Date.now() + RAISED_WITHIN_MS;
  for (;;) {
    const { status } = await ask('owner', 'GET', `${FARM}/alerts/${id}`);
    if (status.incident) return { alert: id, incident: status.incident.id };
    assert.ok(Date.now() < until, `${name} is not raised`);
    await new Promise((later) => setTimeout(later, 200));
  }
}

const pathOf = ({ incident }) => `/alerts/${encodeURIComponent(incident)}`;
const answer = (page, name) => page.locator('main').getByRole('button', { name });
const state = (page) => page.locator('main header [role=status]');
const remember = (page) => page.evaluate(() => Object.assign(globalThis, { stillTheSamePage: true }));
const isSamePage = (page) => page.evaluate(() => globalThis.stillTheSamePage === true);

describe('an incident', { timeout: 400_000 }, () => {
  it('is answered by one person and seen by another at once, to its end', async () => {
    const made = await raise('Too warm');
    const path = pathOf(made);
    const { page, complaints } = await open({ path });
    const other = await open({ path, who: 'manager', viewport: DESK });
    const list = await open({ path: '/alerts', who: 'viewer', viewport: DESK });
    for (const each of [page, other.page, list.page]) await remember(each);
    await page.getByRole('heading', { level: 1, name: 'Too warm' }).waitFor();
    await page.getByText(/^Polyhouse 1.*: Temperature [\d.]+ °C \(alert above 0 °C\)$/).waitFor();
    await state(page).getByText('Nobody has answered yet').waitFor();
    await page.locator('figure [role=img] svg').first().waitFor();
    await page.getByText('The alert was raised on this reading').first().waitFor();

    // The acts are thumb-sized, at the foot, above the bar that stops machines.
    const mine = answer(page, 'I am on it');
    const box = await mine.boundingBox();
    assert.ok(box && box.height >= 44 && box.y > PHONE.height / 2, JSON.stringify(box));
    await mine.click();
    await state(page)
      .getByText(/is on it$/)
      .waitFor();
    const name = (await state(page).innerText()).trim();
    await state(other.page).getByText(name).waitFor({ timeout: SOON_MS });
    const card = list.page.getByRole('article', { name: 'Too warm', exact: true });
    await card.getByText(name).waitFor({ timeout: SOON_MS });

    await answer(other.page, '1 h').click();
    await state(other.page)
      .getByText(/^Snoozed until/)
      .waitFor();
    await state(page)
      .getByText(/^Snoozed until/)
      .waitFor({ timeout: SOON_MS });
    assert.match(await state(page).innerText(), /is on it/, 'who is on it stays');
    await answer(other.page, 'Take back').click();
    await state(page).getByText('Nobody has answered yet').waitFor({ timeout: SOON_MS });

    await answer(other.page, 'False alarm').click();
    const dialog = other.page.getByRole('dialog', { name: 'False alarm' });
    await dialog.getByLabel('Note (optional)').fill('The sensor lies in the sun');
    await dialog.getByRole('button', { name: 'False alarm' }).click();
    await page.getByText('The sensor lies in the sun').waitFor({ timeout: SOON_MS });
    for (const each of [page, other.page, list.page])
      assert.ok(await isSamePage(each), 'nothing was reloaded');

    await ask('owner', 'DELETE', `${FARM}/alerts/${made.alert}`);
    await state(page)
      .getByText('Over')
      .waitFor({ timeout: SOON_MS * 2 });
    await page.getByText('The alert was deleted while it was raised.').waitFor();
    assert.equal(await page.getByRole('region', { name: 'Answer' }).count(), 0, 'nothing is left to answer');
    for (const each of [complaints, other.complaints, list.complaints]) assert.deepEqual(each, []);
  });

  it('leads to what helps, to a task that says what is wrong, and from every place that tells of it', async () => {
    const made = await raise('Leads on');
    const { page, complaints } = await open({ path: '/alerts' });
    const card = page.getByRole('article', { name: 'Leads on', exact: true });
    await card.getByRole('link', { name: 'See what is happening' }).click();
    await page.waitForURL(`**${pathOf(made)}`);
    await page.getByRole('link', { name: 'Make a task' }).click();
    const form = page.getByRole('dialog', { name: 'New task' });
    await form.locator('form').waitFor();
    assert.match(await form.getByRole('textbox').first().inputValue(), /^Alert: Leads on \(Polyhouse 1/);
    assert.ok((await form.locator('textarea').inputValue()).endsWith(pathOf(made)));
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Leads on' }).waitFor();
    // From the house's verdict too, by the alert's own id.
    await page.goto(`/alerts/${made.alert}`);
    await page.getByRole('heading', { level: 1, name: 'Leads on' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('is answered by a viewer with that he is on it alone, and by keyboard', async () => {
    const made = await raise('By keyboard');
    const { page, complaints } = await open({ path: pathOf(made), who: 'viewer', viewport: DESK });
    const mine = answer(page, 'I am on it');
    await mine.waitFor();
    for (const name of ['Acknowledge', 'False alarm', '1 h'])
      assert.equal(await answer(page, name).count(), 0, name);
    await mine.focus();
    await page.keyboard.press('Enter');
    // Told live, it may stand there before the answer's own reply came; until then it cannot be pressed.
    await answer(page, 'Take back').click({ trial: true });
    await answer(page, 'Take back').focus();
    await page.keyboard.press('Enter');
    await mine.waitFor();
    assert.deepEqual(complaints, []);
  });

  it('fits a phone in each language, light and dark, and has no barrier', async () => {
    const made = await raise('Fits');
    for (const [language, scheme] of [
      ['en', 'dark'],
      ['hi', 'light'],
      ['mr', 'light'],
    ]) {
      const { page, complaints } = await open({ path: pathOf(made), language, scheme, still: true });
      await page.locator('figure [role=img] svg').first().waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], language);
      assert.ok((await tooWide(page)) <= 0, language);
      assert.deepEqual(complaints, []);
    }
  });
});
