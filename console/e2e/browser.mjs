// A Chromium for the browser tests and the screenshots, and what both need of it: a signed-in page, and every console
// message that a person should never cause.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

export const DEMO = { contact: 'owner@demo.harit', password: 'polyhouse-demo' };

/** Starts the browser of the system ($CHROMIUM, else /usr/bin/chromium). */
export async function startBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new Error(`no browser at ${executablePath}: install chromium or set CHROMIUM`);
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
    ],
  });
}

/** Collects errors and warnings of a page's console, and what it did not catch. */
export function watchConsole(page) {
  const messages = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      messages.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => messages.push(`uncaught: ${error.message}`));
  return messages;
}

/** Signs in by the api and leaves token, user and language where the console looks for them. */
export async function signInByApi(context, base, language = 'en', account = DEMO) {
  const response = await context.request.post(`${base}/auth/login`, { data: account });
  if (!response.ok()) throw new Error(`sign-in as ${account.contact} answered ${response.status()}`);
  const { token, user } = await response.json();
  await context.addInitScript(
    ([tokenText, userText, languageText]) => {
      localStorage.setItem('token', tokenText);
      localStorage.setItem('user', userText);
      localStorage.setItem('language', languageText);
    },
    [token, JSON.stringify(user), language],
  );
}
