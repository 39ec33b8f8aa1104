// The shape of a page that index.html draws before anything has loaded.

/** From here on the page itself stands where it stood. */
export function endStart(): void {
  document.getElementById('start')?.remove();
}
