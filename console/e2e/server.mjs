// The real server in demo mode, started and stopped by the browser tests: $HARIT_BIN, on free ports of this machine, with
// a data directory of its own that goes when it goes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const READY_WITHIN_MS = 60_000;
/** The demo makes its past before it is ready. */
const A_DAY_OF_PAST_WITHIN_MS = 30_000;
const STOPPED_WITHIN_MS = 10_000;
const LOG_LINES_KEPT = 200;

/** The binary to test: $HARIT_BIN, relative to where the command was given. */
function binary() {
  const path = process.env.HARIT_BIN
    ? resolve(process.env.HARIT_BIN)
    : fileURLToPath(new URL('../../target/release/harit', import.meta.url));
  if (!existsSync(path)) throw new Error(`no server at ${path}: build it, or set HARIT_BIN`);
  return path;
}

/** How often other ports are tried. */
const PORT_TRIES = 3;

async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return port;
}

/**
 * Starts a demo server without a past, with `settings` over its defaults (HARIT_* by name). `start` and `stop` may be called again and
 * again: address and data stay the same. `start` may be given other settings for that run, and does nothing while it runs.
 */
export async function demoServer(settings = {}) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await freshServer(settings);
    } catch (error) {
      // A port that was free a moment ago may be another program's by now.
      if (tries === PORT_TRIES || !/Address already in use/.test(error.message)) throw error;
    }
  }
}

async function freshServer(settings) {
  const bin = binary();
  const dataDir = await mkdtemp(join(tmpdir(), 'harit-e2e-'));
  const http = `127.0.0.1:${await freePort()}`;
  const mqtt = `127.0.0.1:${await freePort()}`;
  const base = `http://${http}`;
  const log = [];
  const past = Number(settings.HARIT_DEMO_HISTORY_DAYS ?? 0);
  const readyWithin = READY_WITHIN_MS + past * A_DAY_OF_PAST_WITHIN_MS;
  let child;

  const keep = (chunk) => {
    log.push(...String(chunk).split('\n').filter(Boolean));
    log.splice(0, Math.max(0, log.length - LOG_LINES_KEPT));
  };

  async function start(changed = {}) {
    if (child && child.exitCode === null && child.signalCode === null) return;
    child = spawn(bin, ['serve', '--demo', '--data-dir', dataDir, '--http', http, '--mqtt', mqtt], {
      env: { ...process.env, HARIT_DEMO_HISTORY_DAYS: '0', ...settings, ...changed },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const deadline = Date.now() + readyWithin;
    while (Date.now() < deadline) {
      if (child.exitCode !== null)
        throw new Error(`the server ended with ${child.exitCode}:\n${log.join('\n')}`);
      const ready = await fetch(`${base}/readyz`).then(
        (response) => response.ok,
        () => false,
      );
      if (ready) return;
      await new Promise((wake) => setTimeout(wake, 100));
    }
    await stop();
    throw new Error(`the server was not ready after ${readyWithin} ms:\n${log.join('\n')}`);
  }

  async function stop() {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS);
    await ended;
    clearTimeout(forced);
  }

  async function close() {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }

  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return { base, dataDir, start, stop, close, log };
}
