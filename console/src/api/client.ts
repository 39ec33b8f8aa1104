// The one HTTP client: typed by the generated schema, carries the bearer token and the person's language, and turns every
// failure into an ApiError.
import createClient from 'openapi-fetch';
import { deviceSecret } from './device';
import { ApiError, refusal } from './errors';
import type { paths } from './schema';
import { currentSession } from './session';

/** The server's calls. Wrap each in `answer`. */
export const api = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: 'include',
  headers: { Accept: 'application/json' },
  // Looked up at call time, so that tests can replace it.
  fetch: (request) => globalThis.fetch(request),
});

/** The calls by which people sign in and show who they are. */
const SIGNING_IN = /^\/(api\/)?auth\/|^\/onboarding\/invite\//;

api.use({
  onRequest({ request }) {
    const session = currentSession();
    if (session.state === 'authenticated') request.headers.set('Authorization', `Bearer ${session.token}`);
    // Where people sign in, and nowhere else, the server is told which device it is.
    if (SIGNING_IN.test(new URL(request.url).pathname)) request.headers.set('X-Harit-Device', deviceSecret());
    // The server's texts follow the language that the page is shown in.
    request.headers.set('Accept-Language', document.documentElement.lang || 'en');
    return request;
  },
});

interface Outcome<T> {
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
