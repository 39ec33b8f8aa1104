import { expect, it } from 'vitest';
import { entryRange, pageCount, pageWindow } from './pages';

it.each([
  [1, 1, [1]],
  [1, 3, [1, 2, 3]],
  [3, 3, [1, 2, 3]],
  [1, 5, [1, 2, 3, 4, 5]],
  [1, 50, [1, 2, 3, 4, 5]],
  [3, 50, [1, 2, 3, 4, 5]],
  [4, 50, [2, 3, 4, 5, 6]],
  [25, 50, [23, 24, 25, 26, 27]],
  [48, 50, [46, 47, 48, 49, 50]],
  [49, 50, [46, 47, 48, 49, 50]],
  [50, 50, [46, 47, 48, 49, 50]],
  // A page beyond the end, as an old link may say.
  [99, 6, [2, 3, 4, 5, 6]],
])('on page %i of %i offers %j', (page, pages, numbers) => {
  expect(pageWindow(page, pages)).toEqual(numbers);
});

it.each([
  [0, 1],
  [1, 1],
  [20, 1],
  [21, 2],
  [1000, 50],
  [1001, 51],
])('%i entries fill %i pages', (entries, pages) => {
  expect(pageCount(entries, 20)).toBe(pages);
});

it.each([
  [1, 0, 0, 0],
  [1, 7, 1, 7],
  [1, 45, 1, 20],
  [2, 45, 21, 40],
  [3, 45, 41, 45],
])('page %i of %i entries holds %i to %i', (page, entries, first, last) => {
  expect(entryRange(page, 20, entries)).toEqual({ first, last });
});
