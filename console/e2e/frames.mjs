// Whether the console keeps 60 frames a second on a farm of 200 sensors, 60 devices and 40 rules with a year of history, while
// each controller sends readings every second: on a phone and a desk, as fast as this machine is and four times slower.
//   HARIT_BIN=../target/release/harit node e2e/frames.mjs [times]
// `ONLY=phone` or `ONLY=desk` measures one of the two.
import { loadavg } from 'node:os';
import { keepSession, ownBrowser, slow, startBrowser } from './browser.mjs';
import { demoServer } from './server.mjs';
import { DESK, PHONE } from './stage.mjs';
import { DAY, yearFarm } from './year-farm.mjs';

const FRAME_MS = 1_000 / 60;
const LONG_MS = 50;
/** The farm takes a minute or two, and so does each look. */
const ALL_WITHIN_MS = 30 * 60_000;
const DRAWN_WITHIN_MS = 60_000;
/** When nothing is drawn in so many frames, all of it was. */
const SETTLED_FRAMES = 60;
/** How fast a finger scrolls, in pixels a second, and how far. */
const SCROLL = { speed: 1_200, far: 3_000 };
/** The part of the width that stays where it is when the day is zoomed: what lies there was read every minute. */
const HELD = 0.98;
const CTRL = 2;

const LOOKS = [
  { name: 'phone', viewport: PHONE, more: { isMobile: true, deviceScaleFactor: 2 }, isPhone: true },
  { name: 'desk', viewport: DESK, more: {}, isPhone: false },
].filter(({ name }) => (process.env.ONLY ?? name) === name);
const RATES = [1, 4];

/** Moves a dot with each frame, so that each has to be drawn, and notes when histories came and were drawn; runs in the page. */
function watchPage() {
  const watched = { frame: 0, asked: [], drawn: [] };
  globalThis.watched = watched;
  let waits = false;
  const drawn = () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() =>
      setTimeout(() => {
        waits = false;
        watched.drawn.push({ at: performance.now(), frame: watched.frame });
      }),
    );
  };
  new PerformanceObserver((list) => {
    for (const { name, startTime, responseEnd } of list.getEntries())
      if (/\/history\b/.test(name)) watched.asked.push([startTime, responseEnd]);
  }).observe({ type: 'resource', buffered: true });
  const { clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    drawn();
    return clearRect.apply(this, box);
  };
  new MutationObserver((changes) => {
    const isLine = ({ target, addedNodes }) =>
      target.localName === 'path' || [...addedNodes].some((node) => node.querySelector?.('svg path'));
    if (changes.some(isLine)) drawn();
  }).observe(document, { subtree: true, childList: true, attributeFilter: ['d'] });
  const dot = document.createElement('div');
  Object.assign(dot.style, { position: 'fixed', width: '1px', height: '1px', top: 0, left: 0 });
  Object.assign(dot.style, { background: 'gray', willChange: 'transform', zIndex: 9_999 });
  const move = () => {
    if (!dot.isConnected) document.documentElement?.append(dot);
    watched.frame += 1;
    dot.style.transform = `translateX(${watched.frame % 2}px)`;
    requestAnimationFrame(move);
  };
  move();
}

const pause = (ms) => new Promise((wake) => setTimeout(wake, ms));

/** Does something each sixtieth of a second, and does not wait for the page, as no finger does. */
async function eachFrame(times, act) {
  const began = performance.now();
  const sent = [];
  for (let nth = 0; nth <= times; nth += 1) {
    await pause(Math.max(0, began + nth * FRAME_MS - performance.now()));
    sent.push(act(nth / times));
  }
  await Promise.all(sent);
}

/** One stroke of fingers: where they are at each part of it. */
async function stroke({ devtools }, times, points) {
  const touch = (type, touchPoints) => devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
  await touch('touchStart', points(0));
  await eachFrame(times, (part) => touch('touchMove', points(part)));
  await touch('touchEnd', []);
}

const mouse = ({ devtools }, type, x, y, more) =>
  devtools.send('Input.dispatchMouseEvent', { type, x, y, ...more });

async function scrolls({ page, devtools, look }) {
  const high = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
  const far = Math.min(SCROLL.far, high);
  for (const yDistance of [-far, far])
    await devtools.send('Input.synthesizeScrollGesture', {
      x: look.viewport.width / 2,
      y: look.viewport.height / 2,
      yDistance,
      speed: SCROLL.speed,
      preventFling: true,
      gestureSourceType: look.isPhone ? 'touch' : 'mouse',
    });
}

/** Where the curves are. */
async function curves({ page }) {
  const { x, y, width, height } = await page.getByRole('slider').first().boundingBox();
  return { at: (part) => x + part * width, y: y + Math.min(height / 2, 100) };
}

const thereAndBack = (part) => 0.05 + 0.9 * (1 - Math.abs(1 - 2 * part));

async function reads(stand) {
  const { at, y } = await curves(stand);
  if (stand.look.isPhone) await stroke(stand, 240, (part) => [{ x: at(thereAndBack(part)), y }]);
  else await eachFrame(240, (part) => mouse(stand, 'mouseMoved', at(thereAndBack(part)), y));
}

/** From the year to the minute, and back: by pinches, one finger of which stands still, or by the wheel. */
async function zooms(stand) {
  const { at, y } = await curves(stand);
  for (const isIn of [true, false])
    for (let nth = 0; nth < 7; nth += 1) {
      if (stand.look.isPhone)
        await stroke(stand, 30, (part) => {
          const moving = isIn ? 0.85 - 0.75 * part : 0.1 + 0.75 * part;
          return [
            { x: at(moving), y, id: 0 },
            { x: at(HELD), y, id: 1 },
          ];
        });
      else
        await eachFrame(30, () =>
          mouse(stand, 'mouseWheel', at(HELD), y, {
            deltaX: 0,
            deltaY: isIn ? -25 : 25,
            modifiers: CTRL,
          }),
        );
      // At rest the page loads what it shows then.
      await pause(400);
    }
}

async function pans(stand) {
  const { at, y } = await curves(stand);
  for (let nth = 0; nth < 4; nth += 1) {
    const path = (part) => (nth % 4 < 2 ? 0.1 + 0.6 * part : 0.7 - 0.6 * part);
    if (stand.look.isPhone)
      await stroke(stand, 45, (part) => [
        { x: at(path(part)), y, id: 0 },
        { x: at(path(part) + 0.2), y, id: 1 },
      ]);
    else {
      const held = { button: 'left', buttons: 1 };
      await mouse(stand, 'mousePressed', at(path(0)), y, { ...held, clickCount: 1 });
      await eachFrame(45, (part) => mouse(stand, 'mouseMoved', at(path(part)), y, held));
      await mouse(stand, 'mouseReleased', at(path(1)), y, { button: 'left', clickCount: 1 });
    }
    await pause(400);
  }
}

/** Waits until the histories that are asked for since then are drawn; gives how long that took. */
async function yearDrawn(page, since) {
  const done = await page.waitForFunction(
    ({ begun, settled }) => {
      const asked = globalThis.watched.asked.filter(([from]) => from >= begun);
      const came = Math.max(...asked.map(([, to]) => to));
      const drawn = globalThis.watched.drawn.findLast(({ at }) => at >= came);
      // Nothing more is asked for, and nothing more is drawn: counted in frames, as one of them may take seconds.
      if (asked.length === 0 || !drawn || globalThis.watched.frame - drawn.frame < settled) return false;
      return { took: drawn.at - Math.min(...asked.map(([from]) => from)), requests: asked.length };
    },
    { begun: since, settled: SETTLED_FRAMES },
    { timeout: DRAWN_WITHIN_MS },
  );
  return done.jsonValue();
}

async function choosesYear({ page }) {
  const since = await page.evaluate(() => performance.now());
  await page.locator('label:has(input[name="span"])').last().click();
  return yearDrawn(page, since);
}

async function opensYear({ page }, path) {
  await page.goto(path);
  return yearDrawn(page, 0);
}

/** What is measured: where it begins, when that is there, and what is done. */
function parts({ houses: [house] }) {
  const at = Date.now() - DAY / 2;
  const span = (before, after) =>
    `/day?polyhouse=${house.id}&at=${at}&from=${Math.round(at - before * DAY)}&to=${Math.round(at + after * DAY)}`;
  const six = `&sensors=${house.sensors.slice(0, 6).map(({ id }) => id)}`;
  const past = `/history?polyhouse=${house.id}&span=24h`;
  return [
    { name: 'home, scrolled', path: '/dashboard', act: scrolls },
    { name: 'manual control, scrolled', path: '/automation/manual', act: scrolls },
    { name: 'rules, scrolled', path: '/automation/rules', act: scrolls },
    { name: 'day of 6 sensors, read', path: span(0.7, 0.3) + six, act: reads },
    { name: 'year of 6 sensors to a minute and back', path: span(HELD * 365, 0.02 * 365) + six, act: zooms },
    { name: 'week of 6 sensors, panned', path: span(5, 2) + six, act: pans },
    {
      name: 'year of 6 sensors, opened',
      path: past,
      act: (stand) => opensYear(stand, span(HELD * 365, 0.02 * 365) + six),
    },
    { name: 'history of a house, a year chosen', path: past, act: choosesYear },
  ];
}

/** What the main thread computed from each of its frames to the next, in milliseconds, and how many frames were drawn. */
function framesOf(trace) {
  const { traceEvents } = JSON.parse(trace.toString());
  const begun = traceEvents.filter(({ name }) => name === 'BeginMainThreadFrame');
  const count = new Map();
  for (const { pid } of begun) count.set(pid, (count.get(pid) ?? 0) + 1);
  const [[pid]] = [...count].sort(([, a], [, b]) => b - a);
  const { tid } = begun.find((event) => event.pid === pid);
  const frames = begun.filter((event) => event.pid === pid).map(({ ts }) => ({ ts, busy: 0 }));
  frames.sort((a, b) => a.ts - b.ts);
  const tasks = traceEvents
    .filter((event) => event.name === 'RunTask' && event.pid === pid && event.tid === tid)
    .sort((a, b) => a.ts - b.ts);
  let nth = -1;
  for (const { ts, dur, tdur = 0 } of tasks) {
    // A frame begins within a task, and that task is its first.
    while (nth + 1 < frames.length && frames[nth + 1].ts < ts + dur) nth += 1;
    if (nth >= 0) frames[nth].busy += tdur / 1_000;
  }
  const drawn = traceEvents.filter((event) => event.name === 'DrawFrame' && event.pid === pid);
  const times = drawn.map(({ ts }) => ts);
  const seconds = (Math.max(...times) - Math.min(...times)) / 1_000_000;
  return { busy: frames.slice(0, -1).map(({ busy }) => busy), drawn: times.length - 1, seconds };
}

async function traced(browser, page, act) {
  const categories = ['disabled-by-default-devtools.timeline', 'disabled-by-default-devtools.timeline.frame'];
  await browser.startTracing(page, { categories });
  const told = await act();
  return { ...framesOf(await browser.stopTracing()), ...told };
}

const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];

function row(look, rate, name, runs) {
  const busy = runs.flatMap((run) => run.busy).sort((a, b) => a - b);
  const sum = (of) => runs.reduce((all, run) => all + run[of], 0);
  const over = (ms) => busy.filter((each) => each > ms).length;
  const years = runs.flatMap(({ took }) => took ?? []).sort((a, b) => a - b);
  return [
    `${look.name}${rate > 1 ? `, ${rate}x slower` : ''}`,
    name,
    (sum('drawn') / sum('seconds')).toFixed(1),
    ...[0.5, 0.95, 1].map((part) => at(busy, part).toFixed(1)),
    `${over(FRAME_MS)} of ${busy.length}`,
    over(LONG_MS),
    years.length > 0 ? `${Math.round(at(years, 0.5))} (${runs[0].requests})` : '–',
  ].join(' | ');
}

async function measure(browser, base, farm, look, rate, times) {
  const context = await ownBrowser(browser, base, { viewport: look.viewport, ...look.more });
  try {
    await keepSession(context, farm.session, 'en');
    await context.addInitScript(watchPage);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    const refused = [];
    page.on('response', (response) => response.status() >= 400 && refused.push(response.url()));
    if (rate > 1) await slow(page, rate);
    const stand = { page, devtools, look };
    await page.goto('about:blank');
    const show = (name, runs) => console.log(`| ${row(look, rate, name, runs)} |`);
    show('(an empty page)', [await traced(browser, page, () => page.waitForTimeout(3_000))]);
    for (const { name, path, act } of parts(farm)) {
      const runs = [];
      for (let nth = 0; nth < times; nth += 1) {
        await page.goto(path);
        await page.locator('main h1').first().waitFor();
        await page.waitForLoadState('networkidle', { timeout: 20_000 }).catch(() => {});
        await page.waitForTimeout(1_000 * rate);
        runs.push(await traced(browser, page, () => act(stand)));
      }
      show(name, runs);
    }
    if (refused.length > 0) console.log(`refused: ${[...new Set(refused)].join(', ')}`);
  } finally {
    await context.close();
  }
}

async function main() {
  const times = Number(process.argv[2] ?? 1);
  // One person looks at more here than anybody does.
  const server = await demoServer({ HARIT_LIMITS_READS_PER_USER: '100000' });
  let browser;
  let farm;
  const close = async () => {
    await browser?.close();
    farm?.close();
    await server.close();
  };
  const stop = async (why) => {
    console.error(why);
    await close();
    process.exit(1);
  };
  const tooLong = setTimeout(stop, ALL_WITHIN_MS, `not done within ${ALL_WITHIN_MS / 60_000} minutes`);
  process.once('SIGTERM', stop);
  try {
    const began = Date.now();
    farm = await yearFarm(server.base);
    const seconds = Math.round((Date.now() - began) / 1_000);
    console.log(`${farm.sent} readings of a year were sent and stored in ${seconds} s\n`);
    browser = await startBrowser([], true);
    console.log(
      '| as | page | drawn a second | median ms | 95th | most | over 16.7 ms | over 50 ms | year ms |',
    );
    console.log('|---|---|---|---|---|---|---|---|---|');
    for (const look of LOOKS)
      for (const rate of RATES) await measure(browser, server.base, farm, look, rate, times);
    console.log(`\nload ${loadavg()[0].toFixed(1)}`);
  } finally {
    clearTimeout(tooLong);
    await close();
  }
}

await main();
