// What a request asks, whenever it is asked: its address without instants.

/** Query parameters that name an instant. */
const INSTANTS = ['from', 'to', 'at', 'until'];

/** The path and the query of an address, without what changes with the clock. */
export function questionOf(address) {
  const url = new URL(address);
  for (const name of INSTANTS) url.searchParams.delete(name);
  url.searchParams.sort();
  return `${url.pathname}${url.search}`;
}
