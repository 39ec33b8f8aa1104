// Loads the code of all pages into the browser's cache while there is nothing else to do, so that a page opens also when the line
// has gone meanwhile. It is not run: that costs nothing but the line.
import type { Language } from '../i18n/languages';
import { firstShown } from '../ui/first';
import { untilLoaded } from '../ui/later';

/** After the first values, what opens above the page loads first. */
const PAUSE_MS = 2_000;

const whenIdle = () =>
  new Promise<void>((wake) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => wake(), { timeout: PAUSE_MS });
    else setTimeout(wake, 50);
  });

/** The files of all pages, with the texts of one language. */
export function filesToKeep(language: Language): string[] {
  const plan = window.harit?.plan;
  if (!plan) return [];
  const { files = [], areas = {} } = plan.languages[language] ?? {};
  const pages = Object.values(plan.pages).flatMap((page) => page.files);
  const wanted = new Set([...plan.frame, ...files, ...pages, ...Object.values(areas).flat()]);
  return [...wanted].flatMap((nth) => plan.files[nth] ?? []);
}

let isKeeping = false;

/** Begins it, once. Who has asked the browser to save data is left in peace. */
export function keepPages(language: Language): void {
  const line = (navigator as { connection?: { saveData?: boolean } }).connection;
  if (line?.saveData) return;
  if (isKeeping) return;
  isKeeping = true;
  void keep(filesToKeep(language));
}

async function keep(files: readonly string[]): Promise<void> {
  await firstShown;
  await new Promise((wake) => setTimeout(wake, PAUSE_MS));
  for (const file of files) {
    await whenIdle();
    // A file that the server has no more belongs to a console that was replaced: the next start has the new one.
    await untilLoaded(() =>
      fetch(`/${file}`, { priority: 'low' } as RequestInit).then((answer) => answer.blob()),
    );
  }
}
