// What jsdom lacks, the texts in English, and a clean start for every test.
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, vi } from 'vitest';
import areas from './i18n/areas.json';
import type { Area } from './i18n/i18n';

// A busy machine loads a lazy page slowly; and a whole page of markup in a failure tells nobody anything.
configure({
  asyncUtilTimeout: 40_000,
  getElementError: (message) => new Error(message ?? 'no such element'),
});

// No test opens a socket: live.test.ts plays one.
vi.mock('socket.io-client', () => ({
  io: () => ({ active: true, on: () => {}, emit: () => {}, connect: () => {}, disconnect: () => {} }),
}));

beforeAll(async () => {
  if (typeof window === 'undefined') return;
  window.matchMedia = (query: string) =>
    ({
      // Tests see a wide screen, a light scheme and no wish for less motion.
      matches: query.includes('min-width'),
      media: query,
      addEventListener: () => {},
      removeEventListener: () => {},
      addListener: () => {},
      removeListener: () => {},
      dispatchEvent: () => false,
      onchange: null,
    }) satisfies MediaQueryList;
  globalThis.ResizeObserver = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  window.scrollTo = () => {};
  Element.prototype.scrollIntoView = () => {};
  // Nothing waits for first values.
  (await import('./ui/first')).markShown();
  const { loadArea, startI18n } = await import('./i18n/i18n');
  await startI18n();
  // Parts of a page are shown without it, too.
  await Promise.all((Object.keys(areas) as Area[]).map(loadArea));
});

beforeEach(() => {
  if (typeof window !== 'undefined') localStorage.clear();
});

afterEach(() => {
  if (typeof window !== 'undefined') cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
