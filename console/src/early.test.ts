import { afterEach, expect, it, vi } from 'vitest';
import { start } from './early';

const plan = {
  styles: ['assets/a.css', 'assets/b.css'],
  files: [],
  frame: [],
  signIn: [],
  pages: {},
  languages: {},
};

afterEach(() => {
  delete window.harit;
  for (const link of document.head.querySelectorAll('link')) link.remove();
  vi.unstubAllGlobals();
});

it('tells when every style sheet has come or failed, and puts each in once', async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  start(plan);
  const [first, second, ...others] = document.head.querySelectorAll('link');
  expect([first?.getAttribute('href'), second?.getAttribute('href')]).toEqual([
    '/assets/a.css',
    '/assets/b.css',
  ]);
  expect([first?.rel, second?.rel, others.length]).toEqual(['stylesheet', 'stylesheet', 0]);
  const styled = vi.fn();
  void window.harit?.styled.then(styled);
  first?.dispatchEvent(new Event('load'));
  await Promise.resolve();
  expect(styled).not.toHaveBeenCalled();
  second?.dispatchEvent(new Event('error'));
  await window.harit?.styled;
  expect(styled).toHaveBeenCalled();
});
