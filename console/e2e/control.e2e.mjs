// Manual control in a real browser against the real server: a pump of the simulated farm from a phone, and a controller that
// the test holds in its hand for everything that can go wrong.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessibilityProblems, slow, tooWide, until, WITHIN_MS } from './browser.mjs';
import { fieldController } from './controller.mjs';
import { DIALOG_LOOKS, nameOf, PHONE, stage } from './stage.mjs';

const PUMP = 'Well pump of tank 1';
const actions = [
  { action: 'on' },
  { action: 'off' },
  { action: 'pulse', parameterType: 'seconds', minValue: 1, maxValue: 60 },
];
const device = (id, name, more = {}) => ({
  id,
  type: 'pump',
  name,
  supportedActions: actions,
  on: false,
  value: 0,
  ...more,
});

let field;
let away;

const { ask, open } = stage({
  path: '/automation/manual',
  ready: '[data-device]',
  still: true,
  prepare: async () => {
    field = await fieldController(ask, {
      name: 'Test house',
      mac: 'AA:BB:CC:00:22:01',
      devices: [
        device('t-good', 'Obedient pump'),
        device('t-slow', 'Silent pump', { answer: 'ignore' }),
        device('t-bad', 'Refusing pump', { answer: 'refuse' }),
        device('t-stuck', 'Stuck pump', { answer: 'ack' }),
        device('t-lock', 'Locked pump', { lock: 'emergency stop' }),
        device('t-jam', 'Jammed pump', { lock: 'blocked inlet' }),
        device('t-safe', 'Safety pump', { safety: true }),
        ...Array.from({ length: 100 }, (_, n) => device(`t-row-${n}`, `Row valve ${n}`, { type: 'valve' })),
      ],
    });
    away = await fieldController(ask, {
      name: 'House away',
      mac: 'AA:BB:CC:00:22:02',
      devices: [device('t-away', 'Pump away')],
    });
    away.goOffline();
  },
  cleanup: () => {
    field?.close();
    away?.close();
  },
});

/** Somebody at manual control, and what they do there. */
async function atControl(look) {
  const { page, complaints } = await open(look);
  const card = (name) =>
    page.locator('[data-device]', { has: page.getByRole('heading', { name, exact: true }) });
  const choose = (name) => page.getByRole('button', { name, exact: true }).click();
  const panel = page.locator('[data-panel]');
  /** Waits until a command has got that far. */
  const reaches = (name, timeout = WITHIN_MS) => page.locator(`[data-stage="${name}"]`).waitFor({ timeout });
  return { page, complaints, card, choose, panel, reaches };
}

const settled = (card, status, timeout = WITHIN_MS) =>
  card.and(card.page().locator(`[data-status="${status}"]`)).waitFor({ timeout });

describe('manual control', { timeout: 500_000 }, () => {
  it('overrides a pump from a phone, and sees it accepted, done, counted down, and ended by itself', async () => {
    const { page, complaints, card, choose, panel, reaches } = await atControl({ viewport: PHONE });
    await card(PUMP).scrollIntoViewIfNeeded();
    const place = await page.evaluate(() => window.scrollY);
    assert.ok(place > 0, 'the list is longer than the screen');
    await choose(PUMP);
    const step = page.getByRole('dialog', { name: PUMP });
    await step.waitFor();
    await step.getByLabel('Duration (minutes)').fill('1');
    await step.getByLabel('Reason').fill('the tank looks low');
    await step.getByRole('button', { name: 'Turn on' }).tap();
    await reaches('done');
    assert.equal(await page.getByText('Command Successful').isVisible(), true);
    await panel.getByText('Manual', { exact: true }).waitFor();
    await panel.getByText('On', { exact: true }).waitFor();
    const left = () => panel.getByRole('timer').textContent();
    const first = await left();
    assert.match(first, /^(1:00|0:5\d)$/);
    await page.waitForFunction(
      (before) => document.querySelector('[data-panel] [role=timer]')?.textContent !== before,
      first,
    );
    // The phone's own way back leads to the same place in the list.
    await page.goBack();
    await step.waitFor({ state: 'detached' });
    // What is by hand moves up in the list, so that it may have moved a little under the finger.
    assert.ok((await page.evaluate(() => window.scrollY)) > place / 2);
    await settled(card(PUMP), 'manual');
    assert.match(await card(PUMP).textContent(), /Sunita Jadhav, until/);
    await settled(card(PUMP), 'auto', 75_000);
    await card(PUMP).getByText('Off', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('gives back to automatic, and is told so', async () => {
    const { page, complaints, card, choose, panel, reaches } = await atControl({ viewport: PHONE });
    await choose('Drip valve, Zone A');
    assert.equal(await page.getByRole('button', { name: 'Give back to automatic' }).count(), 0);
    await page.getByRole('button', { name: 'Turn on' }).tap();
    await reaches('done');
    await page.getByRole('button', { name: 'Give back to automatic' }).tap();
    await panel.getByText('Auto', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Give back to automatic' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Back to the devices' }).tap();
    await settled(card('Drip valve, Zone A'), 'auto');
    assert.deepEqual(complaints, []);
  });

  it('pulses for seconds, and sets a fan by its slider', async () => {
    const { page, complaints, choose, panel, reaches } = await atControl();
    await choose('Drip valve, Zone B');
    await page.getByLabel('Command type').selectOption('pulse');
    await page.getByLabel('Duration (seconds)').fill('3');
    await page.getByRole('button', { name: 'Pulse for 3 s' }).click();
    await reaches('done');
    await choose('Exhaust fans');
    const slider = page.getByRole('slider', { name: 'Value (%)' });
    await slider.waitFor();
    assert.equal(await page.locator('[data-stage]').count(), 0, 'the result went with the device');
    assert.notEqual(await slider.inputValue(), '0');
    await slider.focus();
    await slider.press('End');
    await slider.press('ArrowLeft');
    await page.getByRole('button', { name: 'Set speed to 99%' }).click();
    await reaches('done');
    await panel.getByText('99%', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Give back to automatic' }).click();
    await panel.getByText('Auto', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('follows a command that is refused, not answered, not carried out, or replaced', async () => {
    const { page, complaints, choose, panel, reaches } = await atControl();
    await choose('Refusing pump');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await reaches('failed');
    await page.getByText('Command Failed: dry run protection').waitFor();

    await choose('Stuck pump');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await reaches('accepted');
    await page.getByText('Command accepted').waitFor();
    assert.equal(await panel.getByText('Off', { exact: true }).count(), 1, 'never on before it is reported');

    await choose('Silent pump');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await reaches('sending');
    await page.getByText('Command Pending').waitFor();
    await reaches('timedOut', 30_000);
    await page.getByText(/Command Failed: The controller did not answer in time/).waitFor();

    const second = await atControl();
    await second.choose('Silent pump');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('Command Pending').waitFor();
    await second.page.getByRole('button', { name: 'Turn off' }).click();
    await reaches('superseded');
    assert.deepEqual([...complaints, ...second.complaints], []);
  });

  it('commands the device just chosen, on a slow machine too', async () => {
    const { page, complaints, choose, reaches } = await atControl();
    await slow(page, 6);
    await choose('Refusing pump');
    await page.getByRole('heading', { name: 'Refusing pump', level: 2 }).waitFor();
    await choose('Obedient pump');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await reaches('done');
    assert.deepEqual(complaints, []);
  });

  it('says why a device cannot be selected, and lets an admin into safety mode', async () => {
    const manager = await atControl({ who: 'manager' });
    for (const [name, status, reason] of [
      ['Locked pump', 'locked', 'Device locked (safety override)'],
      ['Safety pump', 'safety', 'Safety mode - admin access required'],
      ['Pump away', 'offline', 'Device offline'],
    ]) {
      await settled(manager.card(name), status);
      assert.ok(await manager.card(name).getByText(reason).isVisible(), name);
      // Everyone may switch off what is locked or in safety mode.
      const button = manager.page.getByRole('button', { name, exact: true });
      assert.equal(await button.isDisabled(), status === 'offline', name);
    }
    assert.match(await manager.card('Locked pump').textContent(), /emergency stop.*Unlock it at the machine/);
    await manager.choose('Locked pump');
    await manager.panel.getByRole('button', { name: 'Turn off' }).waitFor();
    assert.equal(await manager.page.getByRole('button', { name: 'Turn on' }).count(), 0);
    await manager.choose('Obedient pump');
    const minutes = manager.page.getByLabel('Duration (minutes)');
    await minutes.fill('61');
    assert.equal(await manager.page.getByRole('button', { name: 'Turn on' }).isDisabled(), true);
    await minutes.fill('60');
    assert.equal(await manager.page.getByRole('button', { name: 'Turn on' }).isEnabled(), true);

    const admin = await atControl({ who: 'admin' });
    await admin.choose('Safety pump');
    await admin.page.getByLabel('Duration (minutes)').fill('90');
    await admin.page.getByRole('button', { name: 'Turn on' }).click();
    await admin.reaches('done');
    await settled(manager.card('Safety pump'), 'manual');
    assert.deepEqual([...manager.complaints, ...admin.complaints], []);
  });

  it('locks a device for work on it, and opens that after the question', async () => {
    const manager = await atControl({ who: 'manager' });
    await settled(manager.card('Jammed pump'), 'locked');
    assert.equal(
      await manager.page.getByRole('button', { name: 'Unlock Jammed pump' }).count(),
      0,
      'at the machine alone',
    );
    await manager.choose('Obedient pump');
    await manager.page.getByRole('button', { name: 'Lock for maintenance' }).click();
    const locking = manager.page.getByRole('dialog', { name: 'Lock Obedient pump' });
    await locking.getByLabel('Reason').fill('new belt');
    await locking.getByRole('button', { name: 'Lock for maintenance' }).click();
    await locking.waitFor({ state: 'detached' });
    await settled(manager.card('Obedient pump'), 'locked');
    const { page, complaints, card } = await atControl({ viewport: PHONE });
    await settled(card('Obedient pump'), 'locked');
    await page.getByRole('button', { name: 'Unlock Obedient pump' }).tap();
    const dialog = page.getByRole('dialog', { name: 'Unlock Obedient pump' });
    await dialog.getByText('Is nobody at the machine?').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await dialog.getByRole('button', { name: 'Nobody is there: unlock' }).tap();
    await dialog.locator('[data-follows]').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().tap();
    await settled(card('Obedient pump'), 'auto');
    await settled(manager.card('Obedient pump'), 'auto');
    assert.deepEqual([...complaints, ...manager.complaints], []);
  });

  it('follows a device that comes back, without a reload', async () => {
    const { card, complaints } = await atControl();
    await settled(card('Pump away'), 'offline');
    away.report();
    await settled(card('Pump away'), 'auto');
    away.goOffline();
    await settled(card('Pump away'), 'offline');
    assert.deepEqual(complaints, []);
  });

  it('finds one device of a hundred', async () => {
    const { page, card, complaints } = await atControl({ viewport: PHONE });
    await page.getByRole('searchbox', { name: 'Search devices' }).fill('row valve 77');
    await page.getByText(/^1 of 1\d\d devices$/).waitFor();
    assert.equal(await page.locator('[data-device]').count(), 1);
    await card('Row valve 77').waitFor();
    await page.getByRole('searchbox', { name: 'Search devices' }).fill('');
    await page.getByLabel('State').selectOption('locked');
    await until('only the locked one', async () =>
      assert.deepEqual(await page.getByRole('heading', { level: 3 }).allTextContents(), [
        'Jammed pump',
        'Locked pump',
      ]),
    );
    assert.ok((await tooWide(page)) <= 0, 'nothing is wider than the screen');
    assert.deepEqual(complaints, []);
  });

  it('shows a viewer the states and no control', async () => {
    const { page, card, complaints } = await atControl({
      who: 'viewer',
      path: '/automation/manual?device=t-good',
    });
    await settled(card('Locked pump'), 'locked');
    assert.equal(await page.locator('main [data-panel]').count(), 0);
    assert.equal(await page.locator('main button:not([type=search])').count(), 0);
    assert.equal(await page.locator('main [role=slider], main input[type=number]').count(), 0);
    assert.deepEqual(complaints, []);
  });

  const words = {
    en: ['Manual Device Control', 'Select a Device'],
    hi: ['उपकरण ख़ुद चलाएँ', 'उपकरण चुनें'],
    mr: ['उपकरणे स्वतः चालवा', 'उपकरण निवडा'],
  };
  for (const look of DIALOG_LOOKS) {
    it(`leaves axe nothing to say: ${nameOf(look)}`, async () => {
      const { page, complaints, choose, panel } = await atControl(look);
      const [title, empty] = words[look.language];
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      // On a phone it is chosen from, and nothing stands beside it.
      const isPhone = look.viewport === PHONE;
      if (!isPhone) await page.getByRole('heading', { name: empty }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'list');
      await choose('Exhaust fan 1');
      await (isPhone ? page.getByRole('dialog') : panel).waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'panel');
      assert.deepEqual(complaints, []);
    });
  }
});
