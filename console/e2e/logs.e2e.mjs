// The automation log in a real browser against the real server, with more than a thousand entries made by the api.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { PHONE, stage } from './stage.mjs';
import { LANGUAGES, texts } from './texts.mjs';

const ENTRIES = 1_000;
const AT_ONCE = 4;
// Filling the log takes more changes than a person's minute has, and the browser asks as one of those who fill it.
const A_MINUTE = '100000';
const LOGS = '/automation/logs';

let rules;

const { ask, open, session } = stage({
  path: LOGS,
  ready: '[data-entry]',
  still: true,
  within: 30_000,
  settings: { HARIT_LIMITS_READS_PER_USER: A_MINUTE, HARIT_LIMITS_CHANGES_PER_USER: A_MINUTE },
  prepare: fillLog,
  timeout: 300_000,
});

/** Switches rules off and on: each time an entry, one in ten by the manager, the rest by the owner. */
async function fillLog() {
  rules = await ask('owner', 'GET', `${FARM}/rules`);
  const chosen = rules.slice(0, AT_ONCE);
  const each = Math.ceil(ENTRIES / chosen.length);
  await Promise.all(
    chosen.map(async (rule) => {
      for (let made = 0; made < each; made += 1) await toggle(rule, made % 10 === 0 ? 'manager' : 'owner');
    }),
  );
}

async function toggle(rule, who = 'owner') {
  rule.mode = rule.mode === 'auto' ? 'disabled' : 'auto';
  await ask(who, 'PATCH', `${FARM}/rules/${rule.id}`, { mode: rule.mode });
}

const logOf = (query) => ask('owner', 'GET', `${FARM}/logs?${new URLSearchParams(query)}`);

const ids = (page) =>
  page.locator('[data-entry]').evaluateAll((rows) => rows.map((row) => row.dataset.entry));

/** The entries on screen are those that the server gives to the same question. */
async function agrees(page, query) {
  let shown;
  let expected;
  await until(`the page shows what the server finds for ${JSON.stringify(query)}`, async () => {
    const answer = await logOf({ page: 1, pageSize: 20, ...query });
    expected = answer.items.map(({ id }) => id);
    shown = await ids(page);
    const counted = await page
      .getByText(/^Showing .* of .* logs$/)
      .first()
      .textContent();
    return (
      String(shown) === String(expected) &&
      counted.startsWith(`Showing ${answer.matching.toLocaleString('en-IN')} of `)
    );
  });
  return shown;
}

/** Only entries of that type are on screen: the choice is drawn, and what belongs to it has come. */
const showsOnly = (page, label, type) =>
  until(
    `only ${type} is shown`,
    async () =>
      (await page.getByLabel(label).inputValue()) === type &&
      (await page.locator('[aria-busy="true"]').count()) === 0,
  );

describe('the automation log', { timeout: 600_000 }, () => {
  it('is turned page by page, and the back button goes back', async () => {
    const { page, complaints } = await open();
    const { matching } = await logOf({});
    assert.ok(matching >= ENTRIES, `${matching} entries`);
    await page.getByText(/^Showing 1 to 20 of [\d,]+ results$/).waitFor();
    assert.equal((await ids(page)).length, 20);
    const numbers = () =>
      page.getByRole('navigation', { name: 'Pages' }).getByRole('listitem').allTextContents();
    assert.deepEqual(await numbers(), ['1', '2', '3', '4', '5']);
    assert.equal(await page.getByRole('button', { name: 'Previous' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(/^Showing 21 to 40 of/).waitFor();
    await page.getByRole('button', { name: 'Page 5', exact: true }).click();
    await page.getByText(/^Showing 81 to 100 of/).waitFor();
    assert.deepEqual(await numbers(), ['3', '4', '5', '6', '7']);
    const fifth = await ids(page);
    const { asOf } = Object.fromEntries(new URL(page.url()).searchParams);
    assert.deepEqual(
      fifth,
      (await logOf({ page: 5, to: asOf })).items.map(({ id }) => id),
    );
    await page.reload();
    await page.getByText(/^Showing 81 to 100 of/).waitFor();
    await until('the same entries after a reload', async () => String(await ids(page)) === String(fifth));
    await page.goBack();
    await page.getByText(/^Showing 21 to 40 of/).waitFor();
    await page.goBack();
    await page.getByText(/^Showing 1 to 20 of/).waitFor();
    assert.equal(new URL(page.url()).search, '');
    assert.deepEqual(complaints, []);
  });

  it('ends on a last page', async () => {
    const { page, complaints } = await open({ path: `${LOGS}?type=rule_deploy&page=9999` });
    await page.getByRole('button', { name: 'Next' }).and(page.locator(':disabled')).waitFor();
    const range = await page.getByText(/^Showing [\d,]+ to [\d,]+ of [\d,]+ results$/).textContent();
    const [, , last, all] = /(\S+) to (\S+) of (\S+) results/.exec(range);
    assert.equal(last, all);
    assert.deepEqual(complaints, []);
  });

  it('is filtered by everything that the form has, and cleared', async () => {
    const { page, complaints } = await open();
    const manager = (await session('manager')).user.name;
    await page.getByLabel('Type').selectOption({ label: 'Rule change' });
    await agrees(page, { type: 'rule_deploy' });
    await page.getByLabel('User', { exact: true }).fill(manager.slice(0, 4).toUpperCase());
    await agrees(page, { type: 'rule_deploy', user: manager });
    const users = await page.locator('[data-entry] td:nth-child(5)').allTextContents();
    assert.deepEqual([...new Set(users)], [manager]);
    // The device text also finds a rule by its name.
    await page.getByLabel('Device', { exact: true }).fill(rules[0].name.toLowerCase());
    await agrees(page, { type: 'rule_deploy', user: manager, device: rules[0].name });
    assert.ok((await ids(page)).length > 0);
    await page.getByLabel('Result').selectOption({ label: 'Failure' });
    await page.getByRole('heading', { name: 'No logs found' }).waitFor();
    await page.getByText('Try adjusting your filters to see more results.').waitFor();
    await page.goBack();
    await agrees(page, { type: 'rule_deploy', user: manager, device: rules[0].name });
    await page.getByRole('button', { name: 'Clear Filters' }).click();
    await agrees(page, {});
    assert.equal(new URL(page.url()).search, '');
    assert.equal(await page.getByLabel('Device', { exact: true }).inputValue(), '');
    assert.deepEqual(complaints, []);
  });

  it('is filtered by days of the farm', async () => {
    const { page, complaints } = await open();
    const [farm] = await ask('owner', 'GET', '/api/farms');
    const day = (instant) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: farm.timezone, dateStyle: 'short' }).format(instant);
    const today = day(Date.now());
    const tomorrow = day(Date.now() + 86_400_000);
    await page.getByLabel('Start Date').fill(tomorrow);
    await page.getByRole('heading', { name: 'No logs found' }).waitFor();
    await page.getByLabel('Start Date').fill(today);
    await page.getByLabel('End Date').fill(today);
    await until('today is found', async () => (await ids(page)).length === 20);
    assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), { start: today, end: today });
    await page.getByLabel('End Date').fill(day(Date.now() - 3 * 86_400_000));
    await page.getByText('The end date is before the start date.').waitFor();
    assert.deepEqual(complaints, []);
  });

  it('shows a new entry as it happens, and leaves a reader of older ones in peace', async () => {
    const first = await open({ path: `${LOGS}?type=rule_deploy` });
    const third = await open({ path: `${LOGS}?type=rule_deploy` });
    await third.page.getByRole('button', { name: 'Page 3', exact: true }).click();
    await third.page.getByText(/^Showing 41 to 60 of/).waitFor();
    await until('page 3 is there', async () => (await ids(third.page)).length === 20);
    const [newest] = await ids(first.page);
    const reading = await ids(third.page);
    let loads = 0;
    first.page.on('framenavigated', () => {
      loads += 1;
    });
    await toggle(rules[1]);
    await until('the entry arrives', async () => (await ids(first.page))[0] !== newest);
    assert.equal((await ids(first.page))[1], newest, 'it stands above the one before');
    assert.equal(loads, 0);
    await third.page.getByText('New entries: 1').waitFor();
    assert.deepEqual(await ids(third.page), reading);
    await third.page.getByRole('button', { name: 'Show the newest' }).click();
    await third.page.getByText(/^Showing 1 to 20 of/).waitFor();
    await until(
      'both see the same',
      async () => String(await ids(third.page)) === String(await ids(first.page)),
    );
    assert.deepEqual([...first.complaints, ...third.complaints], []);
  });

  it('tells what became of a command', async () => {
    const { page, complaints } = await open();
    const devices = await ask('owner', 'GET', `${FARM}/devices`);
    const valve = devices.find(
      ({ type, online, state, limits }) => type === 'valve' && online && !state.lock && !limits,
    );
    assert.ok(valve, 'the demo has a valve that nothing limits');
    await page.goto(`/automation/logs?type=manual_command&device=${encodeURIComponent(valve.name)}`);
    await page
      .getByText(/^Showing /)
      .first()
      .waitFor();
    await ask('owner', 'POST', `${FARM}/commands`, {
      cmd_type: 'override',
      device_id: valve.id,
      action: { action: 'on' },
      duration_sec: 120,
      reason: 'seen from the log',
    });
    const row = page.locator('[data-entry]').first();
    await row.waitFor();
    await row.getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: 'Log entry' });
    await dialog.getByText('seen from the log').waitFor();
    await dialog.getByText('2 min', { exact: true }).waitFor();
    // It is carried out while one looks.
    await dialog.getByText('Success', { exact: true }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'details');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
  });

  for (const language of LANGUAGES) {
    it(`leaves axe nothing to say on a phone, ${language}`, async () => {
      const { page, complaints } = await open({
        language,
        viewport: PHONE,
        scheme: language === 'mr' ? 'dark' : 'light',
      });
      const { logs } = texts(language);
      await page.getByRole('heading', { level: 1, name: logs.title }).waitFor();
      await page.getByRole('button', { name: logs.filters, exact: true }).click();
      await page.getByLabel(logs.type).selectOption('rule_deploy');
      await showsOnly(page, logs.type, 'rule_deploy');
      assert.ok(page.url().endsWith('?type=rule_deploy'), page.url());
      assert.deepEqual(await accessibilityProblems(page), []);
      assert.ok((await tooWide(page)) <= 0);
      await page.getByRole('button', { name: logs.next }).click();
      await until('page 2', async () => new URL(page.url()).searchParams.get('page') === '2');
      assert.deepEqual(complaints, []);
    });
  }

  it('is open to a viewer, who sees no contacts', async () => {
    const { page, complaints } = await open({ who: 'viewer' });
    assert.equal((await ids(page)).length, 20);
    await page.getByLabel('Type').selectOption({ label: 'Other' });
    await showsOnly(page, 'Type', 'other');
    await page.locator('[data-entry] button').first().click();
    await page.getByRole('dialog').waitFor();
    assert.doesNotMatch(await page.locator('body').innerText(), /\w@\w/);
    assert.deepEqual(complaints, []);
  });
});
