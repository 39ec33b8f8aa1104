// Alert rules and notifications in a real browser against the real server: from the form to the bell.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide } from './browser.mjs';
import { DIALOG_LOOKS, nameOf, stage } from './stage.mjs';

/** A hold wants samples, and the simulated sensors send a few a minute. */
const RAISED_WITHIN_MS = 90_000;
/** Sooner than the next look of a page whose live connection is down. */
const SOON_MS = 8_000;

const { ask, open } = stage({ path: '/alerts' });

const make = (who, alert) => ask(who, 'POST', `${FARM}/alerts`, alert);
const card = (page, name) => page.getByRole('article', { name, exact: true });
const bell = (page) => page.locator('header button').filter({ has: page.locator('.tabler-icon-bell') });
const badge = (page) => page.locator('[data-unread]');
const panel = (page) => page.getByRole('dialog', { name: 'Notifications' });
const unread = async (page) =>
  (await badge(page).count()) === 0 ? 0 : Number(await badge(page).getAttribute('data-unread'));

/** So that a reload would be noticed. */
const remember = (page) => page.evaluate(() => Object.assign(globalThis, { stillTheSamePage: true }));
const isSamePage = (page) => page.evaluate(() => globalThis.stillTheSamePage === true);

const warm = (name, more = {}) => ({
  name,
  repeatsIn: 30,
  repeatUnit: 'minutes',
  channels: ['EMAIL'],
  conditions: [{ sensor: 'Temperature', operator: '>', value: 0, unit: '°C' }],
  subscribers: [{ email: 'owner@demo.harit' }],
  ...more,
});

describe('alerts', { timeout: 400_000 }, () => {
  it('go from the dashboard through the form to the bell, without a reload', async () => {
    const { page, complaints } = await open({ path: '/dashboard' });
    await ask('owner', 'DELETE', `${FARM}/notifications`);
    await page.getByRole('link', { name: 'Add alert configuration' }).click();
    const form = page.getByRole('dialog', { name: 'Add Alert' });
    await form.waitFor();
    assert.match(page.url(), /\/alerts\?new/);
    await remember(page);

    // What the specification gives as the default.
    assert.equal(await form.getByLabel('Repeats in', { exact: false }).first().inputValue(), '30');
    assert.equal(await form.getByLabel('Condition 1: sensor').inputValue(), 'pH');
    assert.equal(await form.getByLabel('Condition 1: comparison').inputValue(), '>');
    assert.equal(await form.getByLabel('Condition 1: value').inputValue(), '7');

    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Alert name is required').waitFor();
    await form.getByText('At least one subscriber is required').waitFor();
    await form.getByLabel('Alert name').fill('Warmer than ice');
    await form.getByLabel('Condition 1: sensor').selectOption('Temperature');
    await form.getByLabel('Condition 1: value').fill('0');
    await form.getByLabel('Subscribers').fill(' grower@farm.in, , second@farm.in,');
    // The place stands first: what is not said would be the whole farm.
    assert.equal(await form.getByLabel('Where').inputValue(), 'farm');
    assert.equal(await form.getByLabel('Watches').inputValue(), 'worst');
    await form.getByLabel('How urgent').selectOption('critical');
    await form.getByText('More', { exact: true }).click();
    // A hold of two minutes would be long for a test.
    assert.equal(await form.getByLabel('Raise after', { exact: false }).first().inputValue(), '2');
    await form.getByLabel('Raise after: unit').selectOption('seconds');
    await form.getByLabel('Raise after', { exact: false }).first().fill('1');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    assert.match(page.url(), /\/alerts$/);

    const mine = card(page, 'Warmer than ice');
    await mine.getByText('Temperature > 0 °C').waitFor();
    await mine.getByText('grower@farm.in, second@farm.in').waitFor();
    await mine.getByText('Worst reading of the place').waitFor();
    await mine.getByText('Critical: look at once').waitFor();
    await mine.getByText(/^Raised since/).waitFor({ timeout: RAISED_WITHIN_MS });
    assert.doesNotMatch(await mine.innerText(), /Never/, 'it says when it was last triggered');
    // Sooner than the next look every 30 seconds would tell.
    await badge(page).waitFor({ timeout: SOON_MS });
    assert.ok(await isSamePage(page), 'nothing was reloaded');

    await bell(page).click();
    await panel(page).waitFor();
    const item = panel(page)
      .getByRole('link', { name: /Warmer than ice/ })
      .first();
    await item.waitFor();
    assert.match(await item.innerText(), /Alert\s+(Just now|1m ago)\s+New/);
    const before = await unread(page);
    await item.click();
    await panel(page).waitFor({ state: 'detached' });
    assert.match(page.url(), /\/alerts\/\d+-alert-\d+$/);
    await page.getByRole('heading', { level: 1, name: 'Warmer than ice' }).waitFor();
    await page.waitForFunction(
      (count) => Number(document.querySelector('[data-unread]')?.dataset.unread ?? 0) < count,
      before,
    );
    assert.deepEqual(complaints, []);
  });

  it('marks all as read and clears all, which lasts', async () => {
    const { page, complaints } = await open();
    for (const name of ['One more', 'And another']) await make('owner', warm(name));
    await badge(page).waitFor({ timeout: RAISED_WITHIN_MS });
    await bell(page).click();
    await panel(page).getByRole('button', { name: 'Mark all as read' }).click();
    await badge(page).waitFor({ state: 'detached' });
    assert.ok(await panel(page).getByRole('button', { name: 'Mark all as read' }).isDisabled());
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    assert.ok(await bell(page).evaluate((button) => button === document.activeElement), 'the focus is back');
    await bell(page).click();
    await panel(page).getByRole('listitem').first().waitFor();
    const height = await panel(page)
      .locator('ul')
      .evaluate((list) => list.clientHeight);
    assert.ok(height <= 24 * 16 + 1, `the list is ${height} px high`);
    page.once('dialog', (dialog) => dialog.accept());
    await panel(page).getByRole('button', { name: 'Clear all' }).click();
    await panel(page).waitFor({ state: 'detached' });
    await page.reload();
    await bell(page).click();
    await panel(page).getByText('No notifications', { exact: true }).waitFor();
    await page.mouse.click(300, 700);
    await panel(page).waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
  });

  it('edits, switches off and on, and deletes', async () => {
    const { page, complaints } = await open();
    const made = await make('owner', warm('To be changed'));
    const mine = card(page, 'To be changed');
    await mine.getByText(/^Raised since/).waitFor({ timeout: RAISED_WITHIN_MS });
    const toggle = mine.getByRole('switch');
    await toggle.click();
    await mine.getByText('Switched off').waitFor();
    assert.equal(await toggle.isChecked(), false);

    await mine.getByRole('button', { name: 'Edit To be changed' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Alert' });
    await form.getByText(/^Saving switches this alert on/).waitFor();
    // The way back closes the form, and the way forward opens it again.
    await page.goBack();
    await form.waitFor({ state: 'detached' });
    await page.goForward();
    await form.getByLabel('Alert name').fill('Changed');
    await form.getByLabel('Condition 1: sensor').selectOption('Water Level');
    await form.getByLabel('Condition 1: comparison').selectOption('<=');
    await form.getByLabel('Condition 1: value').fill('0.5');
    await form.getByLabel('SMS').check();
    await form.getByLabel('Where').selectOption('polyhouse:polyhouse-2');
    await form.getByRole('button', { name: 'Save' }).click();
    const changed = card(page, 'Changed');
    await changed.getByText('Water Level <= 0.5%').waitFor();
    await changed.getByText('Email and SMS').waitFor();
    await changed.getByText('Normal').waitFor();
    assert.equal(await changed.getByRole('switch').isChecked(), true, 'saving makes it active');
    const stored = await ask('owner', 'GET', `${FARM}/alerts/${made.id}`);
    assert.equal(stored.createdAt, made.createdAt);
    assert.ok(stored.lastTriggered >= made.createdAt, 'when it was last triggered is kept');
    assert.deepEqual(stored.conditions[0].unit, '%');

    page.once('dialog', (question) => {
      assert.equal(question.message(), 'Are you sure you want to delete this alert?');
      void question.dismiss();
    });
    await changed.getByRole('button', { name: 'Delete Changed' }).click();
    assert.equal(await changed.count(), 1, 'no means no');
    page.once('dialog', (question) => void question.accept());
    await changed.getByRole('button', { name: 'Delete Changed' }).click();
    await changed.waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
  });

  it('says who deleted a raised alert, and never that all is well', async () => {
    const { page, complaints } = await open();
    const made = await make('owner', warm('Taken away'));
    await card(page, 'Taken away')
      .getByText(/^Raised since/)
      .waitFor({ timeout: RAISED_WITHIN_MS });
    await ask('owner', 'DELETE', `${FARM}/notifications`);
    await ask('manager', 'DELETE', `${FARM}/alerts/${made.id}`);
    await card(page, 'Taken away').waitFor({ state: 'detached', timeout: SOON_MS });
    await bell(page).click();
    const item = panel(page).getByRole('link', { name: /Alert deleted: Taken away/ });
    await item.waitFor();
    assert.match(await item.innerText(), /was deleted while it was raised \(by .+\)/);
    assert.doesNotMatch(await panel(page).innerText(), /back to normal|alert-\d{6,}/);
    assert.deepEqual(complaints, []);
  });

  it('shows at once what somebody else does', async () => {
    const { page, complaints } = await open({ path: '/notifications' });
    const other = await open({ who: 'manager' });
    await remember(page);
    const made = await make('manager', warm('From elsewhere'));
    await card(page, 'From elsewhere').waitFor({ timeout: SOON_MS });
    await ask('manager', 'PATCH', `${FARM}/alerts/${made.id}`, { isActive: false });
    await card(page, 'From elsewhere').getByText('Switched off').waitFor({ timeout: SOON_MS });
    await ask('manager', 'DELETE', `${FARM}/alerts/${made.id}`);
    await card(page, 'From elsewhere').waitFor({ state: 'detached', timeout: SOON_MS });
    assert.ok(await isSamePage(page));
    assert.deepEqual([complaints, other.complaints], [[], []]);
  });

  it('lets a viewer look, and have a bell of their own', async () => {
    const { page, complaints } = await open({ path: '/alerts?new', who: 'viewer' });
    await page.getByRole('article').first().waitFor();
    await page
      .getByText('Only owners, admins and farm managers can change alerts.', { exact: false })
      .waitFor();
    assert.equal(await page.getByRole('switch').count(), 0);
    assert.equal(await page.getByRole('button', { name: /Edit|Delete|Add alert/ }).count(), 0);
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.doesNotMatch(await page.locator('main').innerText(), /@/, 'no addresses');
    await bell(page).click();
    await panel(page).waitFor();
    assert.deepEqual(complaints, []);
  });

  const titles = {
    en: ['Alerts & Notifications', 'Add Alert'],
    hi: ['चेतावनियाँ और सूचनाएँ', 'नई चेतावनी'],
    mr: ['इशारे आणि सूचना', 'नवीन इशारा'],
  };
  for (const look of DIALOG_LOOKS) {
    it(`leaves axe nothing to say: ${nameOf(look)}`, async () => {
      const { page, complaints } = await open(look);
      const [title, form] = titles[look.language];
      await page.getByRole('heading', { name: title }).waitFor();
      await page.getByRole('article').first().waitFor();
      await make('owner', warm(`Axe ${nameOf(look)}`));
      await badge(page).waitFor({ timeout: RAISED_WITHIN_MS });
      assert.ok((await tooWide(page)) <= 0, 'nothing is wider than the screen');
      assert.deepEqual(await accessibilityProblems(page), [], 'the list');
      await bell(page).click();
      await page.locator('[data-type]').first().waitFor();
      assert.ok((await tooWide(page)) <= 0, 'nor the panel');
      assert.deepEqual(await accessibilityProblems(page, '[role=dialog]'), [], 'the panel');
      await page.keyboard.press('Escape');
      await page.goto('/alerts?new');
      const dialog = page.getByRole('dialog', { name: form });
      await dialog.waitFor();
      await dialog.locator('summary').click();
      await dialog.locator('button[type=submit]').click();
      await dialog.locator('[aria-invalid=true]').first().waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'the form');
      assert.deepEqual(complaints, []);
    });
  }
});
