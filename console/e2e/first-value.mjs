// What the first value costs: how many bytes and requests it takes until the dashboard shows a temperature, and how long that
// takes on bad lines, cold (nothing kept) and warm (a second start of the same browser).
//   HARIT_BIN=../target/release/harit node e2e/first-value.mjs [times]
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { account, signInByApi } from './api.mjs';
import { keepSession, ownBrowser, startBrowser } from './browser.mjs';
import { demoServer } from './server.mjs';
import { PHONE } from './stage.mjs';

const kbit = (number) => (number * 1000) / 8;
/** Lines, as the browser's own throttling plays them; the processor of an old phone with each. */
export const LINES = {
  /** For counting bytes: so much delay that nothing comes by chance. */
  counted: { latency: 800, downloadThroughput: -1, uploadThroughput: -1, cpu: 1 },
  /** Lighthouse's. */
  slow4g: { latency: 150, downloadThroughput: kbit(1_600), uploadThroughput: kbit(750), cpu: 4 },
  /** Far from the mast: each answer takes more than half a second to begin. */
  far: { latency: 560, downloadThroughput: kbit(400), uploadThroughput: kbit(400), cpu: 4 },
};

/** Notes when the first temperature stands on the page; runs in the page. */
function watchForValue() {
  const look = () => {
    if (globalThis.firstValueAt !== undefined) return;
    if (!/[\d०-९][^°]{0,6}°C/.test(document.querySelector('main')?.textContent ?? '')) return;
    requestAnimationFrame(() => {
      globalThis.firstValueAt ??= performance.now();
    });
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
}

/** Opens the dashboard: what came over the line before the first value, and when that was there. */
async function open(page, line) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  if (line) {
    await devtools.send('Network.emulateNetworkConditions', { offline: false, ...line });
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: line.cpu });
  }
  const requests = new Map();
  devtools.on('Network.requestWillBeSent', ({ requestId, request, wallTime, timestamp }) =>
    requests.set(requestId, { url: request.url, clock: wallTime - timestamp, bytes: 0, isKept: false }),
  );
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    const request = requests.get(requestId);
    if (request) request.isKept = response.fromDiskCache || response.fromServiceWorker;
  });
  devtools.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId);
    if (request) request.bytes += encodedDataLength;
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength, timestamp }) => {
    const request = requests.get(requestId);
    if (request)
      Object.assign(request, { bytes: encodedDataLength, cameAt: (request.clock + timestamp) * 1000 });
  });
  await page.goto('/dashboard', { waitUntil: 'commit' });
  await page.waitForFunction(() => globalThis.firstValueAt !== undefined, undefined, { timeout: 120_000 });
  const [at, origin] = await page.evaluate(() => [globalThis.firstValueAt, performance.timeOrigin]);
  // What is asked for when the value is drawn has come on a busy machine by the time that this is read. What is half here counts.
  const came = [...requests.values()].filter(
    ({ bytes, isKept, cameAt = 0 }) => bytes > 0 && !isKept && cameAt <= origin + at,
  );
  await devtools.detach();
  return { ms: at, bytes: came.reduce((sum, { bytes }) => sum + bytes, 0), requests: came };
}

/** One cold start, and one warm start after it. */
export async function firstValue(browser, base, session, language, line) {
  const context = await ownBrowser(browser, base, { viewport: PHONE, serviceWorkers: 'allow' });
  try {
    await keepSession(context, session, language);
    await context.addInitScript(watchForValue);
    const page = await context.newPage();
    const cold = await open(page, line);
    // All that comes after the first values has its time, as between two looks at a phone.
    await page.waitForTimeout(line ? 8_000 : 3_000);
    await page.close();
    const warm = await open(await context.newPage(), line);
    return { cold, warm };
  } finally {
    await context.close();
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function main() {
  const times = Number(process.argv[2] ?? 3);
  const server = await demoServer();
  const browser = await startBrowser();
  try {
    const session = await signInByApi(server.base, account('owner'));
    for (const language of ['en', 'hi', 'mr']) {
      const { cold } = await firstValue(browser, server.base, session, language, LINES.counted);
      console.log(
        `${language}: ${(cold.bytes / 1024).toFixed(1)} KiB in ${cold.requests.length} requests until the first value`,
      );
      if (process.env.VERBOSE) {
        for (const { url, bytes } of cold.requests)
          console.log(`  ${String(bytes).padStart(7)} ${url.replace(server.base, '')}`);
      }
    }
    for (const name of ['slow4g', 'far']) {
      const line = LINES[name];
      const runs = [];
      for (let nth = 0; nth < times; nth += 1)
        runs.push(await firstValue(browser, server.base, session, 'en', line));
      const s = (of) => (median(runs.map((run) => run[of].ms)) / 1000).toFixed(2);
      console.log(
        `${name}: first value after ${s('cold')} s cold, ${s('warm')} s warm (medians of ${times}; load ${loadavg()[0].toFixed(1)})`,
      );
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
