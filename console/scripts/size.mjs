// Weighs what the browser must load: before anything is shown (the file that index.html starts), and
// for each screen opened first of all (that, its layout, the screen and the texts of a language). Fails over a budget. Run
// after `vite build` (part of `npm run build`).
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const INITIAL_BUDGET_KB = 220;
const SCREEN_BUDGET_KB = 300;
/** Of the screens that people open first (build/chunks.ts). */
const FIRST_BUDGET_KB = 225;
const FIRST = [
  'sign-in/CodeRequest',
  'sign-in/PasswordForm',
  'dashboard/Dashboard',
  'rules/Rules',
  'manual',
  'day/Day',
];

const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));

/** The files of a chunk and of all that it imports statically. */
function closure(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) closure(next, seen);
  return seen;
}

const weights = new Map();
function weigh(file) {
  if (!weights.has(file)) weights.set(file, gzipSync(readFileSync(new URL(file, dist))).length / 1000);
  return weights.get(file);
}
const sum = (files) => [...files].reduce((total, file) => total + weigh(file), 0);
const js = (keys) =>
  new Set([...keys].map((key) => manifest[key].file).filter((file) => file.endsWith('.js')));
const css = (keys) => new Set([...keys].flatMap((key) => manifest[key].css ?? []));

/** What every page needs (build/chunks.ts). */
const start = Object.keys(manifest).find((key) => manifest[key].name === 'start');
const entry = closure(start);
const initial = sum(js(entry));
console.log(
  `initial: ${initial.toFixed(1)} kB JS, ${sum(css(entry)).toFixed(1)} kB CSS (gzip; budget ${INITIAL_BUDGET_KB} kB JS)`,
);

const PAGE = /^src\/(?:features|routes)\/(.+)\.tsx$/;
/** What stands around a screen. */
function layoutOf(screen) {
  if (screen.startsWith('onboarding/')) return 'onboarding-layout';
  if (screen.startsWith('sign-in/')) return 'sign-in-layout';
  return screen === 'sidebar-demo' ? undefined : 'main-layout';
}
const areas = JSON.parse(readFileSync(new URL('../src/i18n/areas.json', import.meta.url), 'utf8'));
const texts = Object.keys(manifest).filter((key) => /^src\/i18n\/\w+\/index\.ts$/.test(key));
const weightOf = (key) => weigh(manifest[key].file);
const heaviestTexts = texts.toSorted((a, b) => weightOf(b) - weightOf(a))[0];
/** What of them loads with a screen. */
const textsOf = (screen) =>
  (areas[screen.split('/')[0]] ?? []).map((file) => heaviestTexts.replace('index.ts', `${file}.json`));
// What the first part loads later: the pages and their layouts.
const screens = [...new Set([...entry].flatMap((key) => manifest[key].dynamicImports ?? []))]
  .flatMap((key) => {
    const name = PAGE.exec(key)?.[1];
    return name === undefined || name.endsWith('-layout') || name.startsWith('shell/') ? [] : [{ key, name }];
  })
  .map(({ key, name }) => {
    const layout = layoutOf(name);
    const keys = [key, heaviestTexts, ...textsOf(name), ...(layout ? [`src/routes/${layout}.tsx`] : [])];
    const all = keys.reduce((seen, part) => closure(part, seen), new Set(entry));
    return { name, weight: sum(js(all)) };
  })
  .sort((a, b) => b.weight - a.weight);
if (screens.length < 15 || texts.length !== 3) {
  console.error(`found ${screens.length} screens and ${texts.length} languages: has the build changed?`);
  process.exit(1);
}
for (const { name, weight } of screens) console.log(`${weight.toFixed(1).padStart(7)} kB JS  ${name}`);

const tooHeavy = [
  ...(initial > INITIAL_BUDGET_KB ? [`the first part is over its budget of ${INITIAL_BUDGET_KB} kB`] : []),
  ...screens
    .map(({ name, weight }) => ({
      name,
      weight,
      budget: FIRST.includes(name) ? FIRST_BUDGET_KB : SCREEN_BUDGET_KB,
    }))
    .filter(({ weight, budget }) => weight > budget)
    .map(({ name, budget }) => `${name} is over its budget of ${budget} kB`),
];
for (const name of FIRST)
  if (!screens.some((one) => one.name === name)) tooHeavy.push(`there is no screen ${name}`);
for (const complaint of tooHeavy) console.error(complaint);
if (tooHeavy.length > 0) process.exitCode = 1;
