// Records what the console asks a demo server, page by page, for `npm run mock`. Needs a server: $HARIT_BIN as for the browser
// tests; run as `npm run mock:record` after the api has changed.
import { writeFile } from 'node:fs/promises';
import { account, signInByApi } from '../e2e/api.mjs';
import { keepSession, ownBrowser, settled, startBrowser } from '../e2e/browser.mjs';
import { pages } from '../e2e/pages.mjs';
import { demoServer } from '../e2e/server.mjs';
import { questionOf } from './question.mjs';

/** So much past, for charts that show something. */
const DAYS = '1';
/** For charts and pictures that load last. */
const LAST_MS = 1_500;

const server = await demoServer({ HARIT_DEMO_HISTORY_DAYS: DAYS });
const browser = await startBrowser();
const answers = {};
try {
  const session = await signInByApi(server.base, account('owner'));
  answers['POST /auth/login'] = session;
  const context = await ownBrowser(browser, server.base, { viewport: { width: 1440, height: 1000 } });
  await keepSession(context, session, 'en');
  const page = await context.newPage();
  const reading = [];
  page.on('response', (response) => {
    const request = response.request();
    const isJson = response.headers()['content-type']?.startsWith('application/json');
    if (request.method() !== 'GET' || !response.ok() || !isJson || request.url().includes('/socket.io'))
      return;
    reading.push(
      response.json().then(
        (answer) => {
          answers[`GET ${questionOf(request.url())}`] ??= answer;
        },
        () => {},
      ),
    );
  });
  const shown = pages.filter(({ layout }) => layout === 'main');
  for (const { paths } of shown) {
    await page.goto(paths[0]);
    await settled(page);
    await page.waitForTimeout(LAST_MS);
  }
  await Promise.all(reading);
} finally {
  await browser.close();
  await server.close();
}
const sorted = Object.fromEntries(Object.entries(answers).sort(([a], [b]) => (a < b ? -1 : 1)));
const recording = { at: Date.now(), answers: sorted };
await writeFile(new URL('answers.json', import.meta.url), `${JSON.stringify(recording)}\n`);
console.log(`recorded ${Object.keys(sorted).length} answers`);
