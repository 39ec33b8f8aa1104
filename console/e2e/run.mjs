// Runs the browser tests, a file after the other; `npm run e2e [FILE...]`. A file with a failure is run once more: what fails
// twice is an error, what passes then is named at the end, because a test that depends on the machine's load is one to be mended.
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));

/** Plays these files and gives those in which something failed. */
async function play(files) {
  const failed = new Set();
  const events = run({ files, concurrency: 1 });
  events.on('test:fail', ({ file, name }) => failed.add(file ?? name));
  const told = events.compose(new spec());
  for await (const text of told) process.stdout.write(text);
  return [...failed].map((file) => resolve(file)).sort();
}

const named = process.argv.slice(2).map((file) => resolve(file));
const all = readdirSync(HERE)
  .filter((name) => name.endsWith('.e2e.mjs'))
  .sort()
  .map((name) => join(HERE, name));
const files = named.length > 0 ? named : all;
if (files.length === 0) throw new Error(`no browser test in ${HERE}`);
const first = await play(files);
const second = first.length > 0 ? await play(first) : [];
for (const file of first) {
  const outcome = second.includes(file) ? 'failed twice' : 'failed, and passed the second time';
  process.stdout.write(`${outcome}: ${basename(file)}\n`);
}
process.exit(second.length > 0 ? 1 : 0);
