// The service worker's logic, with a cache and a server that a test plays.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { kindOf, PATIENCE_MS, pathOf as pathOfTap, type Scope, work } from './worker';

const ORIGIN = 'http://farm.example';
const PLAN = { version: 'b', first: ['/assets/start-b.js', '/assets/start-b.css'] };
const PAGE_B = '<script src="/assets/start-b.js">';

it.each([
  ['GET', 'navigate', '/', 'page'],
  ['GET', 'navigate', '/automation/rules?new', 'page'],
  ['GET', 'navigate', '/onboarding/assets', 'page'],
  ['GET', 'navigate', '/api/openapi.json', 'other'],
  ['GET', 'navigate', '/metrics', 'other'],
  ['GET', 'navigate', '/a/AZq-3_x', 'other'],
  ['GET', 'navigate', '/icon.svg', 'other'],
  ['GET', 'cors', '/assets/start-b.js', 'file'],
  ['GET', 'cors', '/api/farms', 'other'],
  ['GET', 'cors', '/auth/me', 'other'],
  ['GET', 'cors', '/onboarding/assets', 'other'],
  ['GET', 'cors', '/socket.io/?EIO=4', 'other'],
  ['GET', 'cors', '/sw.js', 'other'],
  ['POST', 'cors', '/assets/start-b.js', 'other'],
  ['GET', 'cors', 'http://elsewhere.example/assets/start-b.js', 'other'],
])('%s (%s) of %s is for %s', (method, mode, path, kind) => {
  const url = new URL(path, ORIGIN).href;
  expect(kindOf({ method, mode: mode as RequestMode, url }, ORIGIN)).toBe(kind);
});

/** What is kept, by cache and path. */
let kept: Map<string, Map<string, string>>;
let answers: (path: string) => Promise<Response>;
type Run = (event: object) => void;
let run: Record<string, Run>;
let shown: [string, Record<string, unknown>][];
let windows: { url: string; focus: () => Promise<void> }[];
let opened: string[];

const pathOf = (asked: Request | string) =>
  new URL(typeof asked === 'string' ? asked : asked.url, ORIGIN).pathname;
const answer = (text: string, status = 200) => {
  const response = new Response(text, { status });
  Object.defineProperty(response, 'type', { value: 'basic' });
  return response;
};

function cacheOf(name: string) {
  const held = kept.get(name) ?? new Map<string, string>();
  kept.set(name, held);
  return {
    match: async (asked: Request | string) => {
      const found = held.get(pathOf(asked));
      return found === undefined ? undefined : answer(found);
    },
    put: async (asked: Request | string, response: Response) => {
      held.set(pathOf(asked), await response.text());
    },
    addAll: async (paths: string[]) => {
      for (const path of paths) held.set(path, await (await answers(path)).text());
    },
  };
}

beforeEach(() => {
  kept = new Map();
  run = {};
  [shown, windows, opened] = [[], [], []];
  answers = async (path) => answer(path === '/' ? PAGE_B : path);
  const scope = {
    caches: {
      open: async (name: string) => cacheOf(name),
      keys: async () => [...kept.keys()],
      delete: async (name: string) => kept.delete(name),
      has: async (name: string) => kept.has(name),
      match: async (asked: Request | string, options?: MultiCacheQueryOptions) => {
        for (const name of kept.keys()) {
          if (options?.cacheName !== undefined && options.cacheName !== name) continue;
          const found = await cacheOf(name).match(asked);
          if (found) return found;
        }
        return undefined;
      },
    },
    clients: {
      claim: async () => {},
      matchAll: async () => windows,
      openWindow: async (url: string) => void opened.push(url),
    },
    registration: {
      showNotification: async (title: string, options: Record<string, unknown>) =>
        void shown.push([title, options]),
    },
    fetch: (asked: Request | string) => answers(pathOf(asked)),
    location: { origin: ORIGIN },
    skipWaiting: async () => {},
    addEventListener: (what: string, then: Run) => {
      run[what] = then;
    },
  };
  work(scope as unknown as Scope, PLAN);
});

/** Has the worker do something, to its end. */
function happens(
  what: 'install' | 'activate' | 'push' | 'notificationclick',
  event: object = {},
): Promise<unknown> {
  let done: Promise<unknown> = Promise.resolve();
  run[what]?.({
    ...event,
    waitUntil: (until: Promise<unknown>) => {
      done = until;
    },
  });
  return done;
}

/** What the worker answers; undefined where it leaves the request to the browser. */
function ask(path: string, mode: RequestMode = 'cors'): Promise<string> | undefined {
  let said: Promise<Response> | undefined;
  run['fetch']?.({
    request: { method: 'GET', mode, url: ORIGIN + path },
    respondWith: (response: Promise<Response>) => {
      said = response;
    },
  });
  return said?.then((response) => response.text());
}

describe('the worker', () => {
  it('keeps what a first screen is made of before it works', async () => {
    await happens('install');
    expect([...(kept.get('harit-b')?.keys() ?? [])].sort()).toEqual(['/', ...PLAN.first].sort());
  });

  it('does not begin with the page of another build', async () => {
    answers = async () => answer('<script src="/assets/start-c.js">');
    await expect(happens('install')).rejects.toThrow('another build');
    expect(kept.get('harit-b')?.has('/')).not.toBe(true);
  });

  it('keeps the build before, and none before that; nothing of others', async () => {
    for (const name of ['harit-x', 'harit-y', 'somebody', 'harit-b']) cacheOf(name);
    await happens('activate');
    expect([...kept.keys()]).toEqual(['harit-y', 'somebody', 'harit-b']);
  });

  it('asks for a file once', async () => {
    await happens('install');
    const asked = vi.fn(async (path: string) => answer(path));
    answers = asked;
    expect(await ask('/assets/Tasks-1.js')).toBe('/assets/Tasks-1.js');
    await vi.waitFor(() => expect(kept.get('harit-b')?.size).toBe(4));
    answers = () => Promise.reject(new TypeError('no network'));
    expect(await ask('/assets/Tasks-1.js')).toBe('/assets/Tasks-1.js');
    expect(asked.mock.calls.filter(([path]) => path === '/assets/Tasks-1.js')).toHaveLength(1);
  });

  it('keeps nothing that comes after what it kept was taken off the device', async () => {
    await happens('install');
    let come: ((late: Response) => void) | undefined;
    answers = () =>
      new Promise((wake) => {
        come = wake;
      });
    const said = ask('/assets/Tasks-1.js');
    await vi.waitFor(() => expect(come).toBeDefined());
    kept.clear();
    come?.(answer('late'));
    expect(await said).toBe('late');
    await new Promise((wake) => setTimeout(wake, 10));
    expect([...kept.keys()]).toEqual([]);
  });

  it('keeps no refusal, and no failure', async () => {
    answers = async () => answer('gone', 404);
    expect(await ask('/assets/Gone-1.js')).toBe('gone');
    expect(kept.get('harit-b')?.size ?? 0).toBe(0);
  });

  it('opens the page of today where the server answers in time', async () => {
    await happens('install');
    answers = async () => answer('of today');
    expect(await ask('/dashboard', 'navigate')).toBe('of today');
    expect(kept.get('harit-b')?.get('/')).toBe(PAGE_B);
  });

  it.each([
    ['no network', () => Promise.reject(new TypeError('no network'))],
    ['a proxy that finds no server', async () => answer('bad gateway', 502)],
    ['a server that takes too long', () => new Promise<Response>(() => {})],
  ])('opens the kept page: %s', async (_, server) => {
    await happens('install');
    vi.useFakeTimers();
    answers = server;
    const said = ask('/tasks', 'navigate');
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    expect(await said).toBe(PAGE_B);
  });

  it('waits for the server where nothing is kept', async () => {
    vi.useFakeTimers();
    answers = () => new Promise((wake) => setTimeout(() => wake(answer('late')), 4 * PATIENCE_MS));
    const said = ask('/tasks', 'navigate');
    await vi.advanceTimersByTimeAsync(4 * PATIENCE_MS);
    expect(await said).toBe('late');
  });

  it('never answers for the api', () => {
    expect(ask('/api/farms')).toBeUndefined();
    expect(ask('/auth/me')).toBeUndefined();
  });
});

describe('what the server pushes', () => {
  const said = {
    title: 'चेतावनी: Acid',
    body: 'Green Valley: pH 5',
    lang: 'hi',
    tag: 't',
    url: 'https://farm.example/a/AZq?x=1#y',
    critical: true,
  };
  const pushed = (data: { json: () => unknown } | null) => happens('push', { data });
  const tap = (data: unknown) => {
    const close = vi.fn();
    return { close, done: happens('notificationclick', { notification: { data, close } }) };
  };

  it('is shown in its words, and the next one of the alert takes its place and is heard', async () => {
    await pushed({ json: () => said });
    const [title, options] = shown[0] ?? [];
    expect(title).toBe('चेतावनी: Acid');
    expect(options).toMatchObject({
      body: 'Green Valley: pH 5',
      lang: 'hi',
      tag: 't',
      renotify: true,
      requireInteraction: true,
      data: { path: '/a/AZq?x=1#y' },
    });
  });

  it('shows something whatever came', async () => {
    const broken = () => {
      throw new SyntaxError('no JSON');
    };
    for (const data of [null, { json: broken }, { json: () => null }, { json: () => ({}) }])
      await pushed(data);
    expect(shown.map(([title]) => title)).toEqual(['Harit', 'Harit', 'Harit', 'Harit']);
    expect(shown[0]?.[1]).toMatchObject({ data: { path: '/alerts' } });
    // renotify without a tag is refused by browsers
    expect(shown[0]?.[1]).not.toHaveProperty('renotify');
  });

  it('leads a tap to this server alone, in the window that shows it already or a new one', async () => {
    expect(pathOfTap('https://elsewhere.example/a/b', ORIGIN)).toBe('/a/b');
    expect(pathOfTap('javascript:alert(1)', ORIGIN)).toBe('/alerts');
    const first = tap({ path: '/a/AZq' });
    await first.done;
    expect(first.close).toHaveBeenCalled();
    expect(opened).toEqual(['/a/AZq']);
    const focus = vi.fn(async () => {});
    windows = [
      { url: `${ORIGIN}/dashboard`, focus: async () => {} },
      { url: `${ORIGIN}/a/AZq`, focus },
    ];
    await tap({ path: '/a/AZq' }).done;
    expect(focus).toHaveBeenCalledOnce();
    expect(opened).toHaveLength(1);
  });
});
