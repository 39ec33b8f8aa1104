// The console's service worker: keeps the console's code on the device, so that it opens on a bad line at once and without a line
// at all. It never touches what is asked of the api: values, devices and commands come from the server or not at all
// (docs/decisions/0017). And it shows what the server pushes, whether the console is open or not (docs/decisions/0031). The build compiles it to /sw.js with the names of the files (build/worker.ts); it imports nothing.

/** What the build knows. */
export interface WorkerPlan {
  /** Another build is another version. */
  version: string;
  /** What a first screen is made of: kept from the start. The other files are kept when they first come. */
  first: readonly string[];
}

/** The server has so long to answer with the page of today before the kept one opens. */
export const PATIENCE_MS = 500;
/** So many builds are kept: a page that is open may still want parts of the one before. */
const KEPT = 2;
const OURS = 'harit-';
/** What is shown of a push that says nothing. */
const NAME = 'Harit';
const PAGE = '/';
/** Paths that are never pages (as in api/src/serve/assets.rs). */
const NO_PAGES = /^\/(a|api|auth|socket\.io|healthz|readyz|metrics)(\/|$)/;

export type Kind = 'page' | 'file' | 'other';

/** What a request is for; `other` is left to the browser as if there were no worker. */
export function kindOf(
  { method, mode, url }: Pick<Request, 'method' | 'mode' | 'url'>,
  origin: string,
): Kind {
  const { origin: of, pathname } = new URL(url);
  if (method !== 'GET' || of !== origin) return 'other';
  if (mode === 'navigate') {
    return NO_PAGES.test(pathname) || /\.[^/]*$/.test(pathname) ? 'other' : 'page';
  }
  return pathname.startsWith('/assets/') ? 'file' : 'other';
}

interface Waiting {
  waitUntil: (done: Promise<unknown>) => void;
}
interface Asking {
  request: Request;
  respondWith: (answer: Promise<Response>) => void;
}
interface Pushed extends Waiting {
  data: { json: () => unknown } | null;
}
interface Tapped extends Waiting {
  notification: { data: unknown; close: () => void };
}
interface OpenWindow {
  url: string;
  focus: () => Promise<unknown>;
}
/** What of the worker's surroundings is used. */
export interface Scope {
  caches: CacheStorage;
  clients: {
    claim: () => Promise<void>;
    matchAll: (which: { type: 'window'; includeUncontrolled: boolean }) => Promise<readonly OpenWindow[]>;
    openWindow: (url: string) => Promise<unknown>;
  };
  registration: { showNotification: (title: string, options: object) => Promise<void> };
  fetch: typeof fetch;
  location: { origin: string };
  skipWaiting: () => Promise<void>;
  addEventListener(what: 'install' | 'activate', run: (event: Waiting) => void): void;
  addEventListener(what: 'fetch', run: (event: Asking) => void): void;
  addEventListener(what: 'push', run: (event: Pushed) => void): void;
  addEventListener(what: 'notificationclick', run: (event: Tapped) => void): void;
}

/** What the server pushes (api/src/delivery/push). */
interface Said {
  title: string;
  body: string;
  lang: string;
  /** A later one of the same tag takes the place of an earlier one. */
  tag: string;
  url: string | null;
  critical: boolean;
}

/** Where a tap leads: a path of this console's own server, whatever the address says. */
export function pathOf(url: unknown, origin: string): string {
  const there = new URL(typeof url === 'string' ? url : '/alerts', origin);
  if (!there.protocol.startsWith('http')) return '/alerts';
  return there.pathname + there.search + there.hash;
}

/** Works from now on. */
export function work(scope: Scope, { version, first }: WorkerPlan): void {
  const { caches, location } = scope;
  const own = OURS + version;

  async function install(): Promise<void> {
    const page = await scope.fetch(PAGE, { headers: { Accept: 'text/html' }, cache: 'no-store' });
    const text = await page.clone().text();
    // The server may have been changed since it sent this worker: then the next one is as good.
    if (!page.ok || !first.every((file) => !/start-[^/]*\.js$/.test(file) || text.includes(file)))
      throw new Error('the page is of another build');
    const cache = await caches.open(own);
    await cache.addAll([...first]);
    await cache.put(PAGE, page);
    await scope.skipWaiting();
  }

  async function activate(): Promise<void> {
    const names = (await caches.keys()).filter((name) => name.startsWith(OURS));
    for (const name of names.slice(0, -KEPT)) await caches.delete(name);
    await scope.clients.claim();
  }

  /** Keeps a file, unless all that was kept was taken off the device since it was asked for. */
  async function keep(request: Request, answer: Response): Promise<void> {
    if (!(await caches.has(own))) return;
    await (await caches.open(own)).put(request, answer);
  }

  async function file(request: Request): Promise<Response> {
    const kept = await caches.match(request, { ignoreVary: true });
    if (kept) return kept;
    const answer = await scope.fetch(request);
    if (answer.ok && answer.type === 'basic') {
      const copy = answer.clone();
      // A full device keeps less, and shows the same.
      void keep(request, copy).catch(() => undefined);
    }
    return answer;
  }

  async function page(request: Request): Promise<Response> {
    const kept = () => caches.match(PAGE, { cacheName: own, ignoreVary: true });
    const today = scope.fetch(request);
    const late = new Promise<undefined>((wake) => setTimeout(wake, PATIENCE_MS, undefined));
    const answer = await Promise.race([today, late]).catch(() => undefined);
    if (answer && answer.status < 500) return answer;
    return (await kept()) ?? today;
  }

  /** A push must show something, also one that cannot be read. */
  async function show({ data }: Pushed): Promise<void> {
    let said: Partial<Said> = {};
    try {
      said = (data?.json() ?? {}) as Partial<Said>;
    } catch {
      // no document: the name alone
    }
    await scope.registration.showNotification(said.title ?? NAME, {
      body: said.body ?? '',
      lang: said.lang ?? '',
      // The next one is heard again, although it takes the place of the one before.
      ...(said.tag && { tag: said.tag, renotify: true }),
      icon: '/icons/icon-192.png',
      badge: '/icons/icon-192.png',
      requireInteraction: said.critical === true,
      data: { path: pathOf(said.url, location.origin) },
    });
  }

  async function open(data: unknown): Promise<void> {
    const { path } = data as { path: string };
    const windows = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const there = windows.find(({ url }) => pathOf(url, location.origin) === path);
    await (there ? there.focus() : scope.clients.openWindow(path));
  }

  scope.addEventListener('push', (event) => event.waitUntil(show(event)));
  scope.addEventListener('notificationclick', (event) => {
    event.notification.close();
    event.waitUntil(open(event.notification.data));
  });
  scope.addEventListener('install', (event) => event.waitUntil(install()));
  scope.addEventListener('activate', (event) => event.waitUntil(activate()));
  scope.addEventListener('fetch', (event) => {
    const kind = kindOf(event.request, location.origin);
    if (kind === 'file') event.respondWith(file(event.request));
    else if (kind === 'page') event.respondWith(page(event.request));
  });
}
