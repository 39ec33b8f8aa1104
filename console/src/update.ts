// After the server was updated, the parts of the console that an open page has not loaded yet are gone under their old names.
// The page then loads itself anew; but not where the server is merely out of reach, because then nothing would be left of it.

/** Whether the server's page starts another console than the one that is running. */
export function isAnotherVersion(html: string, running: readonly string[]): boolean {
  const starts = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, src]) => src);
  return starts.length > 0 && !starts.some((src) => src !== undefined && running.includes(src));
}

async function reloadIfUpdated(reload: () => void): Promise<void> {
  const answer = await fetch('/', { headers: { Accept: 'text/html' }, cache: 'no-store' }).catch(
    () => undefined,
  );
  if (!answer?.ok) return;
  const running = [...document.scripts].map((script) => script.getAttribute('src') ?? '');
  if (isAnotherVersion(await answer.text(), running)) {
    await forgetPage();
    reload();
  }
}

/** What a worker kept of the page would only start the same console again. */
async function forgetPage(): Promise<void> {
  if (!('caches' in window)) return;
  for (const name of await caches.keys()) await (await caches.open(name)).delete('/');
}

const LOOK_EVERY_MS = 3_600_000;

/**
 * Has a worker keep the console's code on this device (worker.ts). A new one takes over quietly: what is open goes on as it is,
 * and the next start is of the new console. Browsers have workers only behind TLS and on the server's own machine.
 */
export async function keepOffline(after: Promise<void>): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  await after;
  // Where it is refused, all goes on without.
  const kept = await navigator.serviceWorker
    .register('/sw.js', { updateViaCache: 'none' })
    .catch(() => undefined);
  if (!kept) return;
  const look = () => void kept.update().catch(() => undefined);
  // A worker that is there already is looked after by the browser when it sees fit: one that is switched off must go at once.
  if (navigator.serviceWorker.controller) look();
  // A page that hangs on a wall for weeks looks for itself.
  setInterval(look, LOOK_EVERY_MS);
}

/** Loads the page anew when a part of it cannot be loaded because the server has a newer console. */
export function followUpdates(reload = () => window.location.reload()): void {
  window.addEventListener('vite:preloadError', () => void reloadIfUpdated(reload));
}
