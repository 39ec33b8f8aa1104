// The api without a server, for `npm run mock`: what a demo server answered (answers.json), moved to the present. Who signs in
// is the demo's owner; what would change something is refused, because nothing here could carry it out.
import { HttpResponse } from 'msw';
import { createOpenApiHttp } from 'openapi-msw';
import type { components, paths } from '../src/api/schema';
import recording from './answers.json' with { type: 'json' };
import { questionOf } from './question.mjs';

type Schemas = components['schemas'];

const answers = recording.answers as Record<string, unknown>;
const http = createOpenApiHttp<paths>({ baseUrl: '*' });

/** Instants lie after this, in epoch milliseconds; nothing else that is counted does. */
const FIRST_INSTANT = Date.UTC(2020, 0);

/** An answer as if it had been given now. */
export function present(answer: unknown, later: number): unknown {
  if (typeof answer === 'number') return answer > FIRST_INSTANT ? answer + later : answer;
  if (Array.isArray(answer)) return answer.map((item) => present(item, later));
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, present(value, later)]));
}

const signedIn = () => present(answers['POST /auth/login'], Date.now() - recording.at) as Schemas['SignedIn'];
const refusal: Schemas['Error'] = {
  error: 'This is a recording of the demo: nothing can be changed. Start the server to try it.',
  code: 'recorded',
};

export const handlers = [
  http.post('/auth/login', ({ response }) => response(200).json(signedIn())),
  http.post('/auth/verify-otp', ({ response }) => response(200).json(signedIn())),
  http.post('/auth/send-otp', ({ response }) =>
    response(200).json({ maskedContact: 'o***@demo.harit' } satisfies Schemas['OtpSent']),
  ),
  http.post('/auth/logout', ({ response }) => response(204).empty()),
  http.untyped.get('*', ({ request }) => {
    const answer = answers[`GET ${questionOf(request.url)}`];
    if (answer === undefined) return HttpResponse.json({ ...refusal, code: 'not_recorded' }, { status: 404 });
    return HttpResponse.json(present(answer, Date.now() - recording.at) as object);
  }),
  http.untyped.all('*', () => HttpResponse.json(refusal, { status: 409 })),
];
