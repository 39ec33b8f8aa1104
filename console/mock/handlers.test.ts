// @vitest-environment node
// The recording is what the api answers today, and the console gets it as if it were from now.
import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020';
import { getResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import recording from './answers.json' with { type: 'json' };
import { handlers, present } from './handlers';

const document = JSON.parse(readFileSync('../api/openapi.json', 'utf8'));
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(document, 'api');

/** The schema of the answer to a question, by its place in the document. */
function schemaOf(question: string): string | undefined {
  const [method = '', address = ''] = question.split(' ');
  const asked = (address.split('?')[0] ?? '').split('/');
  const fits = (path: string) => {
    const parts = path.split('/');
    return (
      parts.length === asked.length && parts.every((part, at) => part.startsWith('{') || part === asked[at])
    );
  };
  const paths = Object.keys(document.paths).filter(fits);
  // A path without parameters goes before one with.
  const [path] = paths.sort((a, b) => a.split('{').length - b.split('{').length);
  if (path === undefined) return undefined;
  const escaped = path.replaceAll('~', '~0').replaceAll('/', '~1');
  return `api#/paths/${escaped}/${method.toLowerCase()}/responses/200/content/application~1json/schema`;
}

describe('the recording', () => {
  it.each(Object.entries(recording.answers))('%s is what the api answers', (question, answer) => {
    const schema = schemaOf(question);
    expect(schema).toBeDefined();
    const validate = ajv.getSchema(encodeURI(schema ?? ''));
    expect(validate).toBeDefined();
    validate?.(answer);
    expect(validate?.errors ?? []).toEqual([]);
  });
});

describe('an answer', () => {
  it('is as old as it was when it was recorded', () => {
    const at = Date.UTC(2026, 10, 24);
    expect(present({ at, value: 31.5, since: [at - 1_000], name: 'Fan' }, 60_000)).toEqual({
      at: at + 60_000,
      value: 31.5,
      since: [at - 1_000 + 60_000],
      name: 'Fan',
    });
  });

  it('to a change is a refusal that says why', async () => {
    const asked = new Request('http://127.0.0.1/api/farms/demo-farm-1/tasks', { method: 'POST', body: '{}' });
    const answer = await getResponse(handlers, asked);
    expect(answer?.status).toBe(409);
    expect((await answer?.json())?.code).toBe('recorded');
  });

  it('to a question that nobody asked then is that it was not recorded', async () => {
    const answer = await getResponse(handlers, new Request('http://127.0.0.1/api/farms/other/tasks'));
    expect(answer?.status).toBe(404);
  });

  it('to whoever signs in is the owner of the demo', async () => {
    const asked = new Request('http://127.0.0.1/auth/login', { method: 'POST', body: '{}' });
    const answer = await getResponse(handlers, asked);
    expect((await answer?.json())?.user.role).toBe('OWNER');
  });
});
