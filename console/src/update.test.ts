import { afterEach, expect, it, vi } from 'vitest';
import { followUpdates, isAnotherVersion } from './update';

const page = (src: string) =>
  `<!doctype html><head><script type="module" crossorigin src="${src}"></script></head>`;

it.each([
  ['/assets/index-a.js', ['/assets/index-a.js'], false],
  ['/assets/index-b.js', ['/assets/index-a.js'], true],
])('a page that starts %s where %j runs', (src, running, another) => {
  expect(isAnotherVersion(page(src), running)).toBe(another);
});

it('a page that starts nothing is somebody else’s', () => {
  expect(isAnotherVersion('<h1>Sign in to the Wi-Fi</h1>', ['/assets/index-a.js'])).toBe(false);
});

afterEach(() => vi.unstubAllGlobals());

it('loads the page anew only where the server has another', async () => {
  const reload = vi.fn();
  followUpdates(reload);
  const asked = vi.fn();
  const fail = async (answer: () => Promise<Response>) => {
    vi.stubGlobal('fetch', () => {
      asked();
      return answer();
    });
    window.dispatchEvent(new Event('vite:preloadError'));
    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    await new Promise((wake) => setTimeout(wake, 20));
    asked.mockClear();
  };
  await fail(() => Promise.reject(new TypeError('no connection')));
  await fail(async () => new Response('starting', { status: 503 }));
  expect(reload).not.toHaveBeenCalled();
  await fail(async () => new Response(page('/assets/index-new.js')));
  expect(reload).toHaveBeenCalledTimes(1);
});
