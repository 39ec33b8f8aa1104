// The one HTTP client: typed by the generated schema, carries the bearer token and the person's language, and turns every
// failure into an ApiError.
import createClient from 'openapi-fetch';
import { deviceSecret } from './device';
import { askedEarly } from './early';
import { ApiError, refusal } from './errors';
import type { paths } from './schema';
import { currentSession } from './session';

/** The server's calls. Wrap each in `answer`. */
export const api = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: 'include',
  headers: { Accept: 'application/json' },
  // Looked up at call time, so that tests can replace it.
  fetch: (request) => askedEarly(request) ?? globalThis.fetch(request),
});

/** By this the server knows a call that it has answered already. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** For so long the same call, sent again after its answer was lost, is the repetition of the first and not another one. */
const REPEATED_MS = 120_000;

interface Call {
  /** What is asked: address and body. */
  what: string;
  key: string;
  at: number;
}
/** The calls that are under way, by the client's id. */
const underWay = new Map<string, Call>();
/** The calls whose answers were lost, by what they asked. */
const lost = new Map<string, Call>();

/** The call as it was begun; with the key of one whose answer was lost just now, if it asks the same. */
async function begun(request: Request): Promise<Call> {
  const what = `${request.url}\n${await request.clone().text()}`;
  for (const [old, { at }] of lost) if (Date.now() - at >= REPEATED_MS) lost.delete(old);
  return lost.get(what) ?? { what, key: newKey(), at: Date.now() };
}

/** The code of a refusal, if it says one. */
async function codeOf(response: Response): Promise<unknown> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return typeof body === 'object' && body && 'code' in body ? body.code : undefined;
}

/** A random UUID. The browser's own exists only behind TLS, which a server on a farm's network may not have. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The calls by which people sign in and show who they are. */
const SIGNING_IN = /^\/(api\/)?auth\/|^\/onboarding\/invite\//;

api.use({
  async onRequest({ request, id }) {
    const session = currentSession();
    if (session.state === 'authenticated') request.headers.set('Authorization', `Bearer ${session.token}`);
    // Where people sign in, and nowhere else, the server is told which device it is.
    const signsIn = SIGNING_IN.test(new URL(request.url).pathname);
    if (signsIn) request.headers.set('X-Harit-Device', deviceSecret());
    if (request.method === 'POST' && !signsIn) {
      const call = await begun(request);
      underWay.set(id, call);
      request.headers.set(IDEMPOTENCY_KEY, call.key);
    }
    // The server's texts follow the language that the page is shown in.
    request.headers.set('Accept-Language', document.documentElement.lang || 'en');
    return request;
  },
  async onResponse({ id, response }) {
    const call = underWay.get(id);
    underWay.delete(id);
    if (!call) return;
    // The first one goes on: what comes after this is its repetition too.
    if (response.status === 409 && (await codeOf(response)) === 'under_way') lost.set(call.what, call);
    else lost.delete(call.what);
  },
  onError({ id }) {
    const call = underWay.get(id);
    underWay.delete(id);
    if (call) lost.set(call.what, call);
  },
});

/** The precondition of a change: that the server still has what the person saw. None where it does not say what that is. */
export function ifMatch(seen: object | undefined): Record<string, string> {
  const etag = seen && 'etag' in seen ? seen.etag : undefined;
  return typeof etag === 'string' ? { 'If-Match': `"${etag}"` } : {};
}

export interface Outcome<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The answer's data, or an ApiError. */
export async function answer<T>(call: Promise<Outcome<T>>): Promise<T> {
  let outcome: Outcome<T>;
  try {
    outcome = await call;
  } catch {
    // fetch rejects when nothing answered; a body that is not JSON comes from something that is not our server.
    throw new ApiError('network', 0);
  }
  if (!outcome.response.ok) throw refusal(outcome.response.status, outcome.error);
  return outcome.data as T;
}
