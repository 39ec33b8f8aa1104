// How people come in, set up their farm, invite others and leave, on the real server in demo mode.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { account, fromOutbox, registerByApi, signInByApi } from './api.mjs';
import { accessibilityProblems, unexpected, until } from './browser.mjs';
import { stage } from './stage.mjs';

const SOON_MS = 5_000;

// Nobody is signed in yet, and whatever their profile says: the test reads English.
const demo = stage({ who: null, language: 'en' });

/** Another person at another browser. */
const person = demo.open;

let page;
let complaints;

beforeEach(async () => {
  ({ page, complaints } = await person());
});

async function signIn(at, { contact, password }) {
  await at.goto('/login/password');
  await at.getByLabel('Email or mobile number').fill(contact);
  await at.getByLabel('Password', { exact: true }).fill(password);
  await at.getByRole('button', { name: 'Sign in', exact: true }).click();
  await at.waitForURL('**/dashboard');
}

/** Pastes text as a person does. */
const paste = (box, text) =>
  box.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', pasted);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

describe('people', { timeout: 400_000 }, () => {
  it('come in by a code of the outbox, after a wrong one, to where they wanted to go', async () => {
    await page.goto('/users');
    await page.waitForURL('**/login');
    await page.getByLabel('Email or mobile number').fill('admin@demo.harit');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('OTP Sent!').waitFor();
    await page.waitForURL('**/otp-verify');
    const boxes = page.getByRole('textbox');
    await boxes.first().waitFor();
    assert.equal(await boxes.count(), 6);
    const { code } = await fromOutbox(demo.server.base, 'admin@demo.harit', 'CODE');
    const wrong = code === '000000' ? '000001' : '000000';
    await paste(boxes.first(), wrong);
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByRole('alert').textContent(), 'Invalid OTP');
    assert.deepEqual(await boxes.evaluateAll((all) => all.map(({ value }) => value)), [
      '',
      '',
      '',
      '',
      '',
      '',
    ]);
    const focused = (box) => box === document.activeElement;
    await until('the first box has the focus', () => boxes.first().evaluate(focused), SOON_MS);
    await page.getByRole('button', { name: new RegExp(`Fill in ${code}`) }).click();
    await page.waitForURL('**/users');
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    assert.deepEqual(unexpected(complaints), []);
  });

  it('ask for another code after a minute, and the old one is void', async () => {
    await page.clock.install();
    const contact = 'owner@demo.harit';
    await page.goto('/login');
    await page.getByLabel('Email or mobile number').fill(contact);
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('OTP Sent!').waitFor();
    await page.clock.fastForward(2_000);
    await page.waitForURL('**/otp-verify');
    const first = await fromOutbox(demo.server.base, contact, 'CODE');
    const again = page.getByRole('button', { name: 'Send the code again' });
    await page.getByText(/You can ask for a new code in \d+ seconds/).waitFor();
    assert.equal(await again.count(), 0);
    await page.clock.fastForward(60_000);
    // The server has a clock of its own: for it a minute has not passed yet.
    await again.click();
    await page.getByRole('alert').waitFor();
    execFileSync('sqlite3', [
      '-cmd',
      '.timeout 5000',
      join(demo.server.dataDir, 'records.db'),
      'UPDATE codes SET created_at = created_at - 61000',
    ]);
    await again.click();
    await page.getByText('A new code is on its way.').waitFor();
    await page.getByText(/You can ask for a new code in (60|59|58) seconds/).waitFor();
    let second = first;
    await until(
      'another code',
      async () => {
        second = await fromOutbox(demo.server.base, contact, 'CODE');
        return second.code !== first.code;
      },
      SOON_MS,
    );
    await paste(page.getByRole('textbox').first(), first.code);
    await page.getByText('Invalid OTP').waitFor();
    await paste(page.getByRole('textbox').first(), second.code);
    await page.waitForURL('**/dashboard');
    assert.deepEqual(unexpected(complaints), []);
  });

  it('skip the invitations after being asked, and sign out on this device', async () => {
    const vijay = { contact: 'vijay@farm.in', password: 'seven-green-leaves' };
    await registerByApi(demo.server.base, {
      name: 'Vijay Shinde',
      email: vijay.contact,
      password: vijay.password,
    });
    await page.goto('/login/password');
    await page.getByLabel('Email or mobile number').fill(vijay.contact);
    const password = page.getByLabel('Password', { exact: true });
    await password.fill(vijay.password);
    assert.equal(await password.getAttribute('type'), 'password');
    await page.getByRole('button', { name: 'Show password' }).click();
    assert.equal(await password.getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/onboarding/assets');
    await page.getByLabel('Asset type').selectOption('FERTIGATION');
    await page.getByLabel('Controller MAC ID').fill('AA-BB-CC-00-22-01');
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.waitForURL('**/onboarding/users');
    await page.getByRole('button', { name: 'I have noted them' }).click();
    await page.getByRole('button', { name: 'Skip' }).click();
    await page.getByRole('button', { name: 'Yes, Continue' }).click();
    await page.waitForURL('**/dashboard');
    const token = await page.evaluate(() => localStorage.getItem('token'));
    await page.getByRole('button', { name: /User menu/ }).click();
    // The page is left before the server has heard of it.
    const heard = page.waitForResponse('**/auth/logout');
    await page.getByRole('menuitem', { name: 'Sign Out' }).click();
    await page.waitForURL('**/login');
    assert.deepEqual(
      await page.evaluate(() => [localStorage.getItem('token'), localStorage.getItem('user')]),
      [null, null],
    );
    await heard;
    const me = await fetch(`${demo.server.base}/auth/me`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(me.status, 401);
    assert.deepEqual(complaints, []);
  });

  it('register, add controllers, invite, and the invited join', async () => {
    await page.goto('/register');
    await page.getByLabel(/Full name/).fill('Ravi Jadhav');
    await page.getByLabel(/^Email/).fill('ravi@farm.in');
    await page.getByLabel(/^Password/).fill('ravi-ravi-1');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.waitForURL('**/onboarding/assets');
    // Onboarding comes first.
    await page.goto('/dashboard');
    await page.waitForURL('**/onboarding/assets');
    await page.getByRole('button', { name: 'Save and continue' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'assets');
    assert.equal(await page.getByRole('button', { name: 'Remove asset 1' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Add another asset' }).click();
    await page.getByRole('button', { name: 'Add another asset' }).click();
    const macs = page.getByLabel('Controller MAC ID');
    const types = page.getByLabel('Asset type');
    await types.nth(0).selectOption('POLYHOUSE');
    await macs.nth(0).fill('AA:BB:CC:00:11:01');
    await types.nth(1).selectOption('FERTIGATION');
    await macs.nth(1).fill('aabbcc001101');
    await page.getByRole('button', { name: 'Remove asset 3' }).click();
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByText('This MAC ID is already in the list').waitFor();
    await macs.nth(1).fill('aabbcc001102');
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByRole('heading', { name: 'Assets Added Successfully!' }).waitFor();
    await page.waitForURL('**/onboarding/users');
    await page.getByRole('heading', { name: 'Passwords of the controllers' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'people');
    await page.getByRole('button', { name: 'I have noted them' }).click();

    await page.getByRole('button', { name: 'Skip' }).click();
    await page.getByRole('dialog', { name: 'Skip User Invitations?' }).waitFor();
    await page.getByRole('button', { name: 'Go Back' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    for (const contact of ['meera@farm.in', '+919876500001']) {
      await page.getByLabel('Email or mobile number').fill(contact);
      await page.getByRole('button', { name: 'Send invite' }).click();
      await page.getByText(`Invite sent successfully to ${contact}`).waitFor();
      await page.getByRole('button', { name: `Withdraw the invite to ${contact}` }).waitFor();
    }
    await page.getByRole('button', { name: 'Withdraw the invite to +919876500001' }).click();
    await page.getByText('Withdrawn', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByRole('heading', { name: 'Welcome to Harit!' }).waitFor();
    await page.waitForURL('**/dashboard');
    // And onboarding is over.
    await page.goto('/onboarding/assets');
    await page.waitForURL('**/dashboard');

    const { link } = await fromOutbox(demo.server.base, 'meera@farm.in', 'INVITE');
    const path = link.slice(link.indexOf('/invite?lang=en#'));
    const other = await person();
    await other.page.goto(path);
    await other.page.getByText(/Ravi Jadhav invites you to .* Your role: Farm Manager\./).waitFor();
    assert.deepEqual(await accessibilityProblems(other.page), [], 'invite');
    await other.page.getByLabel('Your full name').fill('Meera Kale');
    await other.page.getByLabel(/^Password/).fill('meera-meera');
    await other.page.getByRole('button', { name: 'Accept invite' }).click();
    await other.page.waitForURL('**/dashboard');
    // A link is good once.
    const third = await person();
    await third.page.goto(path);
    await third.page.getByText('This invite is no longer valid. Ask for a new one.').waitFor();

    await page.goto('/users');
    await page.getByRole('row', { name: /Meera Kale/ }).waitFor();
    assert.deepEqual(unexpected([...complaints, ...other.complaints, ...third.complaints]), []);
  });

  it('are invited at any time by a number, and join by a link that was passed on', async () => {
    await signIn(page, account('owner'));
    await page.goto('/users');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const window = page.getByRole('dialog', { name: 'Invite' });
    await window.getByLabel('Email or mobile number').fill('9812300001');
    await window.getByLabel('Role').selectOption('VIEWER');
    await window.getByLabel('Language').selectOption('mr');
    await window.getByRole('button', { name: 'Send invite' }).click();
    await window.getByRole('heading', { name: 'Send the link to +919812300001' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'link');
    const message = await window.getByLabel('Message').inputValue();
    assert.match(message, /आमंत्रण/);
    const link = message.match(/https?:\S+/)[0];
    assert.ok(link.startsWith(`${demo.server.base}/invite?lang=mr#`), link);
    await window.getByRole('button', { name: 'Close' }).click();
    await page.getByText(/^Open until/).waitFor();

    // On a phone that has never seen Harit and speaks English.
    const invited = await person({ viewport: { width: 390, height: 844 } });
    await invited.page.goto(link);
    await invited.page.getByRole('heading', { name: 'तुम्हाला बोलावले आहे' }).waitFor();
    assert.equal(await invited.page.locator('html').getAttribute('lang'), 'mr');
    assert.deepEqual(await accessibilityProblems(invited.page), [], 'invite in Marathi');
    await invited.page.locator('input[name=name]').fill('सुनीता जाधव');
    await invited.page.locator('input[name=password]').fill('sunita-sunita');
    await invited.page.locator('form button[type=submit]').click();
    await invited.page.waitForURL('**/dashboard');
    await page.getByText(/^Joined: सुनीता जाधव/).waitFor();
    await page.getByRole('row', { name: /सुनीता जाधव/ }).waitFor();

    // And comes back with the number and the password.
    const again = await person();
    await signIn(again.page, { contact: '+919812300001', password: 'sunita-sunita' });
    assert.deepEqual(unexpected([...complaints, ...invited.complaints, ...again.complaints]), []);
  });

  it('are added, edited, switched off and deleted; owners are not', async () => {
    await signIn(page, account('owner'));
    await page.goto('/users');
    await page.getByRole('table').waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'users');
    assert.equal(await page.getByRole('button', { name: 'Delete Sunita Jadhav' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Add user' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel(/Name/).fill('Kiran More');
    await form.getByLabel(/Email/).fill('kiran@farm.in');
    assert.deepEqual(await accessibilityProblems(page), [], 'form');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const row = page.getByRole('row', { name: /Kiran More/ });
    await row.getByText('Farm Manager').waitFor();
    await page.getByRole('button', { name: 'Edit Kiran More' }).click();
    await page.getByRole('dialog', { name: 'Edit User' }).getByLabel('Role').selectOption('VIEWER');
    await form.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Viewer').waitFor();
    await page.getByRole('button', { name: 'Kiran More is active: make inactive' }).click();
    await page.getByRole('button', { name: 'Kiran More is inactive: make active' }).waitFor();
    const question = page.getByRole('dialog', { name: 'Are you sure you want to delete this user?' });
    await page.getByRole('button', { name: 'Delete Kiran More' }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    assert.equal(await row.count(), 1, 'not without a yes');
    await page.getByRole('button', { name: 'Delete Kiran More' }).click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
  });

  it('sign out everywhere', async () => {
    await signIn(page, account('viewer'));
    const other = await person();
    await signIn(other.page, account('viewer'));
    await page.goto('/profile');
    await page.getByText('This device').waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'profile');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.waitForURL('**/login');
    await other.page.goto('/profile');
    await other.page.waitForURL('**/login');
    assert.equal(await other.page.evaluate(() => localStorage.getItem('token')), null);
    assert.deepEqual(unexpected([...complaints, ...other.complaints]), []);
  });

  it('who forgot the password set a new one by code', async () => {
    await registerByApi(demo.server.base, {
      name: 'Lata Naik',
      email: 'lata@farm.in',
      password: 'forgotten-1',
    });
    await page.goto('/login/password');
    await page.getByLabel('Email or mobile number').fill('lata@farm.in');
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.waitForURL('**/otp-verify');
    const { code } = await fromOutbox(demo.server.base, 'lata@farm.in', 'CODE');
    await page.getByRole('textbox').first().click();
    await page.keyboard.type(code);
    await page.waitForURL('**/new-password');
    await page.getByLabel('New password').fill('remembered-1');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.waitForURL('**/onboarding/assets');
    await signInByApi(demo.server.base, { contact: 'lata@farm.in', password: 'remembered-1' });
    assert.deepEqual(complaints, []);
  });

  it('come in by the two forms for e-mail', async () => {
    await page.goto('/login/email');
    await page.getByLabel('Email').fill('manager@demo.harit');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('If the email exists, we sent a code.').waitFor();
    const { code } = await fromOutbox(demo.server.base, 'manager@demo.harit', 'CODE');
    await paste(page.getByRole('textbox').first(), code);
    await page.waitForURL('**/dashboard');
    assert.deepEqual(complaints, []);
  });
});
