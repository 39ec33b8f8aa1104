// Photographs every screen of screens.mjs: 390 and 1440 px, light and dark, English, Hindi and Marathi, into screenshots/
// (git-ignored), with a sheet of all languages side by side for each. Without --base it starts $HARIT_BIN in demo mode.
//   npm run screenshots -- [--base http://127.0.0.1:8080] [--only dashboard,tasks] [--languages hi] [--widths 390] [--schemes dark]
import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { settled, startBrowser, watchConsole } from './browser.mjs';
import { cast, complaintsAbout, contextOf, screens, show } from './screens.mjs';
import { demoServer } from './server.mjs';
import { LANGUAGES } from './texts.mjs';

const WITHIN_MS = 20_000;
/** A sheet shows pictures this wide, and no more of a long page. */
const SHEET_WIDTH = 390;
const SHEET_HEIGHT = 1_600;

const { values: options } = parseArgs({
  options: {
    base: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('../screenshots/', import.meta.url)) },
    only: { type: 'string' },
    languages: { type: 'string', default: LANGUAGES.join(',') },
    widths: { type: 'string', default: '390,1440' },
    schemes: { type: 'string', default: 'light,dark' },
    pages: { type: 'string', default: String(Math.max(2, availableParallelism())) },
  },
});
const list = (text) => text.split(',');
const languages = list(options.languages);
const only = options.only ? list(options.only) : undefined;
const unknown = only?.filter((name) => !screens.some((screen) => screen.name === name)) ?? [];
if (unknown.length > 0) throw new Error(`no screen ${unknown.join(', ')} (screens.mjs lists them)`);

const server = options.base ? undefined : await demoServer();
const base = options.base ?? server.base;
const browser = await startBrowser();
const complaints = [];
const pictures = [];
try {
  if (!only) await rm(options.out, { recursive: true, force: true });
  await mkdir(`${options.out}/sheets`, { recursive: true });
  const people = await cast(base);
  const looks = list(options.widths).flatMap((width) =>
    list(options.schemes).map((scheme) => ({ width: Number(width), scheme })),
  );
  await inParallel(
    looks.flatMap((look) => languages.map((language) => () => photograph(people, look, language))),
  );
  await inParallel(looks.flatMap((look) => screens.map((screen) => () => sheet(screen, look))));
} finally {
  await browser.close();
  await server?.close();
}
for (const complaint of complaints) console.error(complaint);
console.log(`${pictures.length} pictures in ${options.out}, ${complaints.length} complaints`);
if (complaints.length > 0) process.exitCode = 1;

/** Does all of it, a few at a time. */
async function inParallel(jobs) {
  const waiting = [...jobs];
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) await job();
  };
  await Promise.all(Array.from({ length: Number(options.pages) }, work));
}

function nameOf(screen, { width, scheme }, language) {
  return `${screen.name}-${width}-${scheme}-${language}`;
}

/** All screens in one look and language; people keep their browser from screen to screen. */
async function photograph(people, look, language) {
  const contexts = new Map();
  for (const screen of screens) {
    if (only && !only.includes(screen.name)) continue;
    if ((screen.narrow && look.width >= 992) || (screen.wide && look.width < 992)) continue;
    if (!contexts.has(screen.who)) {
      contexts.set(screen.who, await contextOf(browser, base, people, screen.who, language, look));
    }
    const name = nameOf(screen, look, language);
    const page = await contexts.get(screen.who).newPage();
    page.setDefaultTimeout(WITHIN_MS);
    const messages = watchConsole(page);
    const path = `${options.out}/${name}.png`;
    try {
      await show(page, screen, people, language);
      await settled(page);
    } catch (error) {
      complaints.push(`${name}: ${error.message.split('\n')[0]}`);
    }
    await page.screenshot({ path, fullPage: !screen.view, animations: 'disabled' });
    pictures.push({ screen: screen.name, ...look, language, path });
    complaints.push(...complaintsAbout(screen, messages).map((message) => `${name}: ${message}`));
    await page.close();
  }
  for (const context of contexts.values()) await context.close();
}

/** The languages of a screen side by side. */
async function sheet(screen, look) {
  const shown = pictures.filter(
    (picture) =>
      picture.screen === screen.name && picture.width === look.width && picture.scheme === look.scheme,
  );
  if (shown.length === 0) return;
  shown.sort((a, b) => languages.indexOf(a.language) - languages.indexOf(b.language));
  const width = look.width < 600 ? SHEET_WIDTH : 2 * SHEET_WIDTH;
  const page = await browser.newPage({ viewport: { width: shown.length * (width + 8), height: 400 } });
  await page.goto(`file://${options.out}`);
  await page.setContent(
    `<style>body { margin: 0; display: flex; gap: 8px; align-items: start; background: #888; }
      div { width: ${width}px; max-height: ${SHEET_HEIGHT}px; overflow: hidden; } img { width: 100%; display: block; }
    </style>${shown.map(({ path }) => `<div><img src="file://${path}"></div>`).join('')}`,
  );
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  await page.screenshot({
    path: `${options.out}/sheets/${screen.name}-${look.width}-${look.scheme}.png`,
    fullPage: true,
  });
  await page.close();
}
