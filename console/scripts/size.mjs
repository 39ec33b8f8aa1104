// Weighs what the browser must load before the first page: index.html's module and everything it imports statically.
// Fails over the budget. Run after `vite build` (part of `npm run build`).
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const BUDGET_KB = 220;
const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));

/** The files of a chunk and of all that it imports statically. */
function closure(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) closure(next, seen);
  return seen;
}

const weigh = (files) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length, 0) / 1000;
const js = (keys) =>
  new Set([...keys].map((key) => manifest[key].file).filter((file) => file.endsWith('.js')));
const css = (keys) => new Set([...keys].flatMap((key) => manifest[key].css ?? []));

const entry = closure('index.html');
const initial = weigh(js(entry));
console.log(
  `initial: ${initial.toFixed(1)} kB JS, ${weigh(css(entry)).toFixed(1)} kB CSS (gzip; budget ${BUDGET_KB} kB JS)`,
);
const page = (...keys) => {
  const all = keys.reduce((seen, key) => closure(key, seen), new Set(entry));
  console.log(`${keys.at(-1)}: ${weigh(js(all)).toFixed(1)} kB JS in all, with the initial part`);
};
page('src/routes/sign-in-layout.tsx', 'src/routes/login-password.tsx', 'src/i18n/en/index.ts');
page('src/routes/main-layout.tsx', 'src/routes/dashboard.tsx', 'src/i18n/en/index.ts');
if (initial > BUDGET_KB) {
  console.error(`the initial JavaScript is over its budget of ${BUDGET_KB} kB`);
  process.exit(1);
}
