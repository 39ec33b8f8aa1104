// What the page asked the server before the client was there (src/early.ts): handed out once, to the call that asks the same.

/** An answer that is older may no longer be what a page shows as now. */
const GOOD_FOR_MS = 10_000;

/** The answer to a call that is under way already, if there is one. */
export function askedEarly(request: Request): Promise<Response> | undefined {
  const asked = window.harit?.asked;
  if (!asked || request.method !== 'GET') return undefined;
  const { pathname, search } = new URL(request.url);
  const early = asked.get(pathname + search);
  if (!early) return undefined;
  asked.delete(pathname + search);
  const isSame =
    request.headers.get('Authorization') === `Bearer ${early.token}` &&
    request.headers.get('Accept-Language') === early.language;
  return isSame && Date.now() - early.at < GOOD_FOR_MS ? early.answer : undefined;
}
