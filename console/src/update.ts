// After the server was updated, the parts of the console that an open page has not loaded yet are gone under their old names.
// The page then loads itself anew; but not where the server is merely out of reach, because then nothing would be left of it.

/** Whether the server's page starts another console than the one that is running. */
export function isAnotherVersion(html: string, running: readonly string[]): boolean {
  const starts = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, src]) => src);
  return starts.length > 0 && !starts.some((src) => src !== undefined && running.includes(src));
}

async function reloadIfUpdated(): Promise<void> {
  const answer = await fetch('/', { headers: { Accept: 'text/html' }, cache: 'no-store' }).catch(
    () => undefined,
  );
  if (!answer?.ok) return;
  const running = [...document.scripts].map((script) => script.getAttribute('src') ?? '');
  if (isAnotherVersion(await answer.text(), running)) window.location.reload();
}

/** Loads the page anew when a part of it cannot be loaded because the server has a newer console. */
export function followUpdates(): void {
  window.addEventListener('vite:preloadError', () => void reloadIfUpdated());
}
