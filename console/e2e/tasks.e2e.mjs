// The tasks board in a real browser against the real server: cards by mouse, finger and keys, forms, two browsers at once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FARM } from './api.mjs';
import { accessibilityProblems, tooWide, until } from './browser.mjs';
import { DIALOG_LOOKS, nameOf, PHONE, stage } from './stage.mjs';

const { ask, open } = stage({ path: '/tasks', ready: '[data-current="true"] [data-task]' });

/** The titles of each column, as the page has them. */
const layout = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('[data-column]')].map((column) => [
        column.dataset.column,
        [...column.querySelectorAll('[data-task] h3')].map(({ textContent }) => textContent),
      ]),
    ),
  );

const card = (page, title) =>
  page.locator('[data-task]').filter({ has: page.locator('h3', { hasText: title }) });

/** Waits until the page, and the page after a reload, show what is expected. */
async function staysAs(page, expected) {
  await until('the board', async () => assert.deepEqual(await layout(page), expected));
  // The server has it too, not only this page.
  await until('the server', async () => {
    const tasks = await ask('owner', 'GET', `${FARM}/tasks`);
    for (const [status, titles] of Object.entries(expected))
      assert.deepEqual(
        tasks.filter((task) => task.status === status).map(({ title }) => title),
        titles,
      );
  });
  await page.reload();
  await page.locator('[data-task]').first().waitFor({ state: 'attached' });
  assert.deepEqual(await layout(page), expected);
}

const middle = async (locator) => {
  const box = await locator.boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, top: box.y, bottom: box.y + box.height };
};

/** A finger that presses, waits, moves and lifts, as the browser itself hears it. */
async function finger(page) {
  const client = await page.context().newCDPSession(page);
  const send = (type, points) => client.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  return {
    down: (x, y) => send('touchStart', [{ x, y }]),
    move: async (from, { x, y }, steps = 8) => {
      for (let step = 1; step <= steps; step += 1) {
        await send('touchMove', [
          { x: from.x + ((x - from.x) * step) / steps, y: from.y + ((y - from.y) * step) / steps },
        ]);
        await page.waitForTimeout(16);
      }
      // A finger that rests before it lifts throws nothing.
      await page.waitForTimeout(120);
      await send('touchMove', [{ x, y }]);
    },
    up: () => send('touchEnd', []),
  };
}

describe('the tasks board', { timeout: 400_000 }, () => {
  it('takes cards by mouse, within a column and to another', async () => {
    const { page, complaints } = await open();
    const before = await layout(page);
    assert.deepEqual(Object.keys(before), ['OPEN', 'IN_PROGRESS', 'IN_REVIEW', 'CLOSED']);
    const [first, second] = before.OPEN;

    // Four pixels are a tremble, not a drag.
    const start = await middle(card(page, first).locator('p').first());
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x + 4, start.y);
    assert.equal(await page.locator('[data-held="true"]').count(), 0);
    await page.mouse.move(start.x + 6, start.y);
    await page.locator('[data-held="true"]').waitFor();
    // Outside of every column: nothing happens.
    await page.mouse.move(700, 40, { steps: 5 });
    await page.mouse.up();
    await page.locator('[data-held="true"]').waitFor({ state: 'detached' });
    assert.deepEqual(await layout(page), before);

    // Below the second card.
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x, start.y + 10, { steps: 3 });
    const below = await middle(card(page, second));
    await page.mouse.move(below.x, below.bottom - 5, { steps: 8 });
    await page.getByTestId('mark').waitFor();
    await page.mouse.up();
    const swapped = { ...before, OPEN: [second, first, ...before.OPEN.slice(2)] };
    await staysAs(page, swapped);

    // To the top of another column.
    const from = await middle(card(page, first).locator('p').first());
    const other = await middle(card(page, before.IN_PROGRESS[0]));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 20, from.y, { steps: 4 });
    await page.mouse.move(other.x, other.top + 10, { steps: 10 });
    await page.mouse.up();
    await staysAs(page, {
      ...swapped,
      OPEN: swapped.OPEN.filter((title) => title !== first),
      IN_PROGRESS: [first, ...before.IN_PROGRESS],
    });
    assert.deepEqual(complaints, []);
  });

  it('takes cards by keys, and says where they are', async () => {
    const { page, complaints } = await open();
    const before = await layout(page);
    const title = before.OPEN[0];
    const spoken = page.getByTestId('spoken');
    const handle = () => page.getByRole('button', { name: `Move ${title}` });
    await handle().focus();
    await page.keyboard.press('Space');
    await until('taken', async () =>
      assert.match(await spoken.textContent(), /^Picked up .*: Open, 1 of \d+\.$/),
    );
    await page.waitForTimeout(50);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    const total = before.IN_REVIEW.length + 1;
    await until('over', async () =>
      assert.equal(await spoken.textContent(), `In review, 2 of ${total}: ${title}.`),
    );
    await page.keyboard.press('Space');
    await until('dropped', async () =>
      assert.equal(await spoken.textContent(), `${title} is now in In review, 2 of ${total}.`),
    );
    // The focus stays with the card.
    await until('focus', () => handle().evaluate((button) => button === document.activeElement));
    const [head, ...rest] = before.IN_REVIEW;
    const expected = { ...before, OPEN: before.OPEN.slice(1), IN_REVIEW: [head, title, ...rest] };
    await staysAs(page, expected);

    await handle().focus();
    await page.keyboard.press('Space');
    await page.waitForTimeout(50);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Escape');
    await until('cancelled', async () =>
      assert.equal(await spoken.textContent(), `${title} stays in In review.`),
    );
    assert.deepEqual(await layout(page), expected);
    assert.deepEqual(complaints, []);
  });

  it('takes cards by finger after a long press; a quick finger scrolls', async () => {
    // Low enough that there is something to scroll.
    const { page, complaints } = await open({ viewport: { ...PHONE, height: 600 } });
    const before = await layout(page);
    const [first, second] = before.OPEN;
    const touch = await finger(page);

    const start = await middle(card(page, first).locator('p').nth(1));
    await touch.down(start.x, start.y);
    await touch.move(start, { x: start.x, y: start.y - 250 }, 12);
    await touch.up();
    await until('scrolled', () => page.evaluate(() => window.scrollY > 100));
    assert.equal(await page.locator('[data-held="true"]').count(), 0);
    await page.evaluate(() => window.scrollTo(0, 0));
    await until('scrolled back', () => page.evaluate(() => window.scrollY === 0));

    // Within the column: the second above the first (near an edge of the screen the page would scroll along).
    await page.setViewportSize(PHONE);
    const from = await middle(card(page, second).locator('p').first());
    const above = await middle(card(page, first));
    await touch.down(from.x, from.y);
    await page.locator('[data-held="true"]').waitFor();
    await touch.move(from, { x: from.x, y: above.top + 10 }, 12);
    await page.getByTestId('mark').waitFor();
    await touch.up();
    const swapped = { ...before, OPEN: [second, first, ...before.OPEN.slice(2)] };
    await staysAs(page, swapped);

    // To another column: over its tab, which opens, and to its end.
    const again = await middle(card(page, first).locator('p').first());
    const tab = await middle(page.locator('[data-tab="CLOSED"]'));
    await touch.down(again.x, again.y);
    await page.locator('[data-held="true"]').waitFor();
    await touch.move(again, tab, 12);
    await page.locator('[data-tab="CLOSED"][aria-pressed="true"]').waitFor();
    const last = await middle(card(page, before.CLOSED.at(-1)));
    await touch.move(tab, { x: last.x, y: last.bottom - 5 }, 12);
    await touch.up();
    await staysAs(page, {
      ...swapped,
      OPEN: swapped.OPEN.filter((title) => title !== first),
      CLOSED: [...before.CLOSED, first],
    });
    assert.deepEqual(complaints, []);
  });

  it('moves by the menu of a card, without dragging', async () => {
    const { page, complaints } = await open({ viewport: PHONE });
    const before = await layout(page);
    const title = before.OPEN[0];
    await page.getByRole('button', { name: `What to do with ${title}` }).tap();
    await page.getByRole('menuitem', { name: 'In progress' }).tap();
    await staysAs(page, {
      ...before,
      OPEN: before.OPEN.slice(1),
      IN_PROGRESS: [title, ...before.IN_PROGRESS],
    });
    assert.deepEqual(complaints, []);
  });

  it('is the same in two browsers, live', async () => {
    const [one, two] = await Promise.all([open(), open({ who: 'manager' })]);
    let loads = 0;
    two.page.on('framenavigated', () => {
      loads += 1;
    });
    const before = await layout(one.page);
    const title = before.CLOSED[0];
    const handle = one.page.getByRole('button', { name: `Move ${title}` });
    // The second time can only be heard: what changed before a page listens, it asks for.
    for (const column of ['IN_REVIEW', 'IN_PROGRESS']) {
      await handle.focus();
      await one.page.keyboard.press('Space');
      await one.page.waitForTimeout(50);
      await one.page.keyboard.press('ArrowLeft');
      await one.page.keyboard.press('Space');
      await until('both agree', async () => {
        const [mine, theirs] = await Promise.all([layout(one.page), layout(two.page)]);
        assert.deepEqual(mine, theirs);
        assert.ok(theirs[column].includes(title));
      });
    }
    assert.equal(loads, 0);
    assert.deepEqual([...one.complaints, ...two.complaints], []);
  });

  it('goes back and says so when the server does not take a move', async () => {
    const { page } = await open();
    const before = await layout(page);
    await page.route('**/move', (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body: '{}' }),
    );
    await page.getByRole('button', { name: `What to do with ${before.OPEN[0]}` }).click();
    await page.getByRole('menuitem', { name: 'Closed' }).click();
    await page.getByRole('alert').waitFor();
    assert.equal(
      await page.getByRole('alert').textContent(),
      'The task could not be moved; it is back in its place.',
    );
    assert.deepEqual(await layout(page), before);
  });

  it('creates, edits and deletes', async () => {
    const { page, complaints } = await open({ path: '/tasks?new' });
    const form = page.getByRole('dialog', { name: 'New task' });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Title is required').waitFor();
    await form.getByLabel(/^Title/).fill('Check the fogger nozzles');
    await form.getByLabel('Description').fill('Both polyhouses, above the path.');
    await form.getByLabel('Assignee').selectOption({ label: 'Ganesh Shinde' });
    await form.getByLabel(/^Due date/).fill('2026-01-05');
    await form.getByLabel('Category').fill('Upkeep');
    await form.getByLabel('Priority').selectOption('URGENT');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const made = card(page, 'Check the fogger nozzles');
    await made.waitFor();
    const said = await made.innerText();
    for (const text of ['Urgent', 'Overdue', 'Both polyhouses', 'Upkeep', 'Ganesh Shinde', '5 Jan'])
      assert.ok(said.includes(text), `${text} in: ${said}`);
    const red = await made.locator('time').evaluate((time) => getComputedStyle(time).color);
    assert.notEqual(
      red,
      await made
        .locator('dd')
        .first()
        .evaluate((other) => getComputedStyle(other).color),
    );

    await made.getByRole('link').click();
    const edit = page.getByRole('dialog', { name: 'Edit task' });
    await edit.getByLabel(/^Due date/).fill('2099-12-31');
    await edit.getByLabel('Priority').selectOption('LOW');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    await made.getByText('31 Dec').waitFor();
    assert.equal(await made.getByText('Overdue').count(), 0);

    await made.getByRole('button', { name: /^What to do/ }).click();
    await page.getByRole('menuitem', { name: 'Delete task' }).click();
    await page
      .getByRole('dialog', { name: 'Are you sure you want to delete this task?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await made.waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
  });

  it('filters, and keeps the filter in the URL', async () => {
    const { page, complaints } = await open();
    const all = Object.values(await layout(page)).flat();
    await page.getByRole('button', { name: 'Overdue' }).click();
    await until('fewer', async () => Object.values(await layout(page)).flat().length < all.length);
    await page.reload();
    const overdue = page.getByRole('button', { name: 'Overdue' });
    await overdue.waitFor();
    assert.equal(await overdue.getAttribute('aria-pressed'), 'true');
    await until('late ones only', async () => {
      const shown = await page.locator('[data-task]').count();
      return shown > 0 && shown === (await page.locator('[data-task] [data-late="true"]').count());
    });
    assert.deepEqual(complaints, []);
  });

  it('lets a viewer read and nothing else', async () => {
    const { page, complaints } = await open({ who: 'viewer', path: '/tasks?new' });
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await page.getByRole('button', { name: /Create|Move|What to do/ }).count(), 0);
    const before = await layout(page);
    const from = await middle(card(page, before.OPEN[0]).locator('p').first());
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 300, from.y, { steps: 6 });
    assert.equal(await page.locator('[data-held="true"]').count(), 0);
    await page.mouse.up();
    await page.getByRole('link', { name: before.OPEN[0] }).click();
    await page.getByRole('dialog', { name: 'Task' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  const titles = { en: 'Tasks', hi: 'काम', mr: 'कामे' };
  for (const look of DIALOG_LOOKS) {
    it(`leaves axe nothing to say: ${nameOf(look)}`, async () => {
      const { page, complaints } = await open(look);
      await page.getByRole('heading', { level: 1, name: titles[look.language], exact: true }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'board');
      assert.ok((await tooWide(page)) <= 0, 'nothing is wider than the screen');
      await page.locator('[data-task]').first().getByRole('button').first().focus();
      await page.keyboard.press('Space');
      await page.waitForTimeout(50);
      // Sideways: whatever was moved before, there is another column.
      await page.keyboard.press('ArrowRight');
      await page.getByTestId('mark').waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'held');
      await page.keyboard.press('Escape');
      await page.locator('[data-current="true"] [data-task] h3 a').first().click();
      await page.getByRole('dialog').locator('form').waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'form');
      assert.deepEqual(complaints, []);
    });
  }
});
