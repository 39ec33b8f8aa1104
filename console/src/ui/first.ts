// When the page has shown its first values. What it can do without until then waits for it: on a slow line every byte that comes
// earlier is one that the values come later.

/** Who waits no longer than this: a page that cannot show anything needs its menu all the same. */
const AT_MOST_MS = 4_000;

let shown = () => {};

/** Settled once, when the first values are on screen. */
export const firstShown = new Promise<void>((resolve) => {
  shown = resolve;
  setTimeout(resolve, AT_MOST_MS);
});

let last = firstShown;

/** Settled then too, but one after another, each in a task of its own: a tap between them is answered. */
export function turnAfterFirst(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setTimeout(resolve)));
  return last;
}

/** The first values are drawn. */
export function markShown(): void {
  requestAnimationFrame(() => setTimeout(shown));
}
