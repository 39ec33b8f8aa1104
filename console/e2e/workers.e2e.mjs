// A worker, in a real browser against the real server: invited by a number and given some of the farm, he joins in his language on
// a phone, does a task with a photo, pulses what he was given and nothing else, and stops.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { askApi, FARM } from './api.mjs';
import { accessibilityProblems, hold, tooWide, unexpected, until } from './browser.mjs';
import { DESK, PHONE, stage } from './stage.mjs';
import { texts } from './texts.mjs';

const SOON_MS = 10_000;
const TASK = 'Prune the north rows';

const demo = stage({ still: true });
const { ask, open } = demo;
const en = texts('en');
const mr = texts('mr');

/** A device that can be pulsed and one of another place. */
async function devices() {
  const all = await ask('owner', 'GET', `${FARM}/devices`);
  const pulsed = all.find(
    ({ online, state, supportedActions }) =>
      online && state.locks.length === 0 && supportedActions.some(({ action }) => action === 'pulse'),
  );
  assert.ok(pulsed, 'the demo has a device that can be pulsed');
  return { pulsed, other: all.find(({ id, name }) => id !== pulsed.id && name !== pulsed.name) };
}

/** A photograph as a phone makes it: larger than what is sent. */
async function photograph(page) {
  const url = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 2_400, height: 1_800 });
    const pen = canvas.getContext('2d');
    for (let x = 0; x < 240; x++) {
      pen.fillStyle = `hsl(${x * 7} 70% 50%)`;
      pen.fillRect(x * 10, (x % 9) * 150, 10, 900);
    }
    return canvas.toDataURL('image/png');
  });
  return { name: 'row.png', mimeType: 'image/png', buffer: Buffer.from(url.split(',')[1], 'base64') };
}

/** Waits until a picture is not only there, but drawn. */
async function drawn(picture) {
  await picture.waitFor();
  await until('the photo is drawn', async () => {
    assert.ok((await picture.evaluate((image) => image.naturalWidth)) > 0);
  });
}

async function invited() {
  const { page, complaints } = await open({ path: '/users' });
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const window = page.getByRole('dialog', { name: 'Invite' });
  await window.getByLabel('Email or mobile number').fill('9812300009');
  await window.getByLabel('Role').selectOption('WORKER');
  await window.getByLabel('Language').selectOption('mr');
  await window.getByRole('button', { name: 'Send invite' }).click();
  const message = await window.getByLabel('Message').inputValue();
  assert.match(message, /कामगार|आमंत्रण/);
  await window.getByRole('button', { name: 'Close' }).click();
  return { owner: page, complaints, link: message.match(/https?:\S+/)[0] };
}

/** Joins by the link, on a phone that has never seen Harit. */
async function joined(link) {
  const { page, complaints } = await open({ who: null, language: null, viewport: PHONE });
  await page.goto(link);
  await page.getByRole('heading', { name: 'तुम्हाला बोलावले आहे' }).waitFor();
  await page.locator('input[name=name]').fill('रमेश पवार');
  await page.locator('input[name=password]').fill('ramesh-ramesh');
  await page.locator('form button[type=submit]').click();
  await page.waitForURL('**/work');
  await page.getByRole('heading', { level: 1, name: mr.nav.work }).waitFor();
  const token = await page.evaluate(() => localStorage.getItem('token'));
  return { page, complaints, token };
}

describe('a worker', { timeout: 300_000 }, () => {
  it('is invited, joins in Marathi on a phone, does his task, pulses what he was given, and stops', async () => {
    const { owner, complaints, link } = await invited();
    const worker = await joined(link);
    const { page, token } = worker;
    await page.getByText(mr.work.noTasks).waitFor();
    assert.equal(await page.locator('[data-house], [data-device]').count(), 0, 'nothing was given yet');

    // The owner gives him a house and a device, and a task.
    const { pulsed, other } = await devices();
    await owner.getByRole('button', { name: /^Edit रमेश पवार/ }).click();
    const form = owner.getByRole('dialog', { name: 'Edit User' });
    const [house] = await ask('owner', 'GET', `${FARM}/polyhouses`);
    await form.getByRole('group', { name: en.work.given }).getByLabel(house.name, { exact: true }).check();
    const machines = form.getByRole('group', { name: en.work.givenDevices });
    await machines.locator('label').filter({ hasText: pulsed.name }).first().click();
    assert.deepEqual(await accessibilityProblems(owner), [], 'form');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const { users } = await ask('owner', 'GET', `${FARM}/users`);
    const ramesh = users.find(({ role }) => role === 'WORKER');
    assert.deepEqual([ramesh.polyhouses, ramesh.devices], [[house.id], [pulsed.id]]);
    await ask('owner', 'POST', `${FARM}/tasks`, {
      title: TASK,
      dueDate: '2099-12-31',
      assigneeId: ramesh.id,
    });

    // It comes by itself, and nothing else does.
    const task = page.locator('[data-task]').filter({ hasText: TASK });
    await task.waitFor({ timeout: SOON_MS });
    await page.locator(`[data-house="${house.id}"]`).waitFor();
    await page.locator(`[data-device="${pulsed.id}"]`).waitFor();
    assert.equal(await page.locator('[data-house], [data-device]').count(), 2);
    assert.equal(await page.locator('nav').count(), 0, 'he has one page');
    await page.goto('/users');
    await page.waitForURL('**/work');
    await task.waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'work');
    assert.ok((await tooWide(page)) <= 0, 'work');

    await task.getByRole('button', { name: mr.work.begin, exact: true }).click();
    await task.getByText(mr.work.state.begun, { exact: true }).waitFor();
    await task.locator('input[type=file]').setInputFiles(await photograph(page));
    await drawn(task.getByRole('img', { name: mr.work.photoOf.replace('{{title}}', TASK) }));
    await task.getByRole('button', { name: mr.work.note, exact: true }).click();
    await task.getByLabel(mr.work.note).fill('दोन ओळी राहिल्या');
    await task.getByRole('button', { name: mr.form.save, exact: true }).click();
    await task.getByText('दोन ओळी राहिल्या').waitFor();
    await task.getByRole('button', { name: mr.work.finish, exact: true }).click();
    await task.getByRole('button', { name: mr.work.again, exact: true }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'a finished task');
    assert.ok((await tooWide(page)) <= 0, 'a finished task');
    const photo = await fetch(
      `${demo.server.base}${FARM}/tasks/${await task.getAttribute('data-task')}/photo`,
      {
        headers: { authorization: `Bearer ${(await demo.session('owner')).token}` },
      },
    );
    assert.equal(photo.headers.get('content-type'), 'image/jpeg');
    assert.ok((await photo.arrayBuffer()).byteLength <= 400 * 1_024);
    // Who looks after the tasks sees it on the board's card.
    const board = await open({ path: '/tasks', viewport: DESK });
    const card = board.page.locator('main');
    await card.getByText('दोन ओळी राहिल्या').waitFor();
    await card.getByRole('link', { name: TASK }).click();
    await drawn(
      board.page.getByRole('dialog').getByRole('img', { name: en.work.photoOf.replace('{{title}}', TASK) }),
    );

    // A pulse of what he was given is a command of his; another device is not there for him.
    const seconds = mr.work.pulse.replace('{{seconds}}', '').trim();
    await page
      .locator(`[data-device="${pulsed.id}"]`)
      .getByRole('button', { name: new RegExp(seconds) })
      .first()
      .click();
    await until('the pulse is a command of the worker', async () => {
      const all = await ask('owner', 'GET', `${FARM}/commands?device=${encodeURIComponent(pulsed.id)}`);
      assert.ok(all.some(({ owner: by }) => by?.user_id === ramesh.id));
    });
    const refused = askApi(demo.server.base, token, 'POST', `${FARM}/work/commands`, {
      deviceId: other.id,
      action: 'off',
      durationSec: 60,
    });
    await assert.rejects(refused, /answered 404/);
    await assert.rejects(askApi(demo.server.base, token, 'GET', `${FARM}/devices`), /answered 403/);

    // STOP, as everybody: held, then the house.
    const button = page.getByRole('button', { name: mr.stop.button });
    await hold(page, button, page.getByRole('dialog', { name: mr.stop.choose }));
    await page.locator('[data-stop-scope="polyhouse"]').first().click();
    await page.locator('[data-stop-state="confirmed"]').first().waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'stop');
    const { stops } = await ask('owner', 'GET', `${FARM}/stop`);
    assert.deepEqual(
      stops.map(({ by }) => by.user_id),
      [ramesh.id],
    );
    assert.deepEqual(unexpected([...complaints, ...worker.complaints, ...board.complaints]), []);
  });
});
