// Runs the browser tests; `npm run e2e [FILE...]`. Files run beside each other, each with its own server and browser, but for those
// that measure times. A file with a failure is run once more, alone: what fails twice is an error, what passes then is named at the
// end, because a test that depends on the machine's load is one to be mended.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));

/** How many: each waits at times, for a page or for a deadline of the server. */
const AT_A_TIME = Number(process.env.HARIT_E2E_AT_A_TIME ?? availableParallelism() + 1);

/** How long something takes is asked there. */
const MEASURED = ['bad-line', 'history', 'look', 'stop', 'tasks-by-taps'];
/** The longest goes first, so that nobody waits for it at the end. */
const LONGEST = ['every-screen', 'control', 'rules', 'tasks', 'places', 'chain'];

/** Plays these files, so many at a time, and gives those in which something failed. */
async function play(files, concurrency) {
  const failed = new Set();
  if (files.length === 0) return [];
  const events = run({ files, concurrency });
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
const nameOf = (file) => basename(file, '.e2e.mjs');
const isMeasured = (file) => MEASURED.includes(nameOf(file));
const rank = (file) => (LONGEST.includes(nameOf(file)) ? LONGEST.indexOf(nameOf(file)) : LONGEST.length);
const together = files.filter((file) => !isMeasured(file)).sort((a, b) => rank(a) - rank(b));
const first = [...(await play(together, AT_A_TIME)), ...(await play(files.filter(isMeasured), 1))];
const second = await play(first, 1);
for (const file of first) {
  const outcome = second.includes(file) ? 'failed twice' : 'failed, and passed the second time';
  process.stdout.write(`${outcome}: ${basename(file)}\n`);
}
process.exit(second.length > 0 ? 1 : 0);
