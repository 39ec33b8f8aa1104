// Turning pages: which numbers are offered, and which entries a page holds.

/** How many page numbers are offered at once. */
export const MOST_NUMBERS = 5;

/** How many pages the entries fill; none fill one, which is empty. */
export function pageCount(entries: number, pageSize: number): number {
  return Math.max(1, Math.ceil(entries / pageSize));
}

/** The page numbers on offer: a window that slides with the page, and stops at both ends. */
export function pageWindow(page: number, pages: number): number[] {
  const first = Math.max(1, Math.min(page - Math.floor(MOST_NUMBERS / 2), pages - MOST_NUMBERS + 1));
  return Array.from({ length: Math.min(MOST_NUMBERS, pages) }, (_, at) => first + at);
}

/** The entries of a page, counted from 1. */
export function entryRange(page: number, pageSize: number, entries: number): { first: number; last: number } {
  return {
    first: Math.min((page - 1) * pageSize + 1, entries),
    last: Math.min(page * pageSize, entries),
  };
}
