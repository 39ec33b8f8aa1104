import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { owner } from '../test-console';
import { askedEarly, keepEarly } from './early';
import { keys } from './keys';
import { forgetSession, signIn } from './session';

const PATH = '/api/farms?x=1';
const request = (token = 'secret', language = 'mr', method = 'GET') =>
  new Request(`http://localhost${PATH}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Accept-Language': language },
  });

function ask(age = 0, path = PATH, answer = Promise.resolve(new Response('["said"]'))) {
  const asked = new Map([[path, { token: 'secret', language: 'mr', at: Date.now() - age, answer }]]);
  window.harit = {
    asked,
    allAsked: Promise.resolve(),
    styled: Promise.resolve(),
    fetchPage: () => {},
    plan: { styles: [], files: [], frame: [], signIn: [], pages: {}, languages: {} },
  };
  return { asked, answer };
}

beforeEach(() => {
  document.documentElement.lang = 'mr';
  signIn('secret', owner);
});

afterEach(() => {
  delete window.harit;
  forgetSession();
});

it('hands an answer to the call that asks the same, once', () => {
  const { answer } = ask();
  expect(askedEarly(request())).toBe(answer);
  expect(askedEarly(request())).toBeUndefined();
});

it.each([
  ['somebody else', request('other')],
  ['another language', request('secret', 'en')],
  ['a change', request('secret', 'mr', 'DELETE')],
])('has none for %s', (_, other) => {
  ask();
  expect(askedEarly(other)).toBeUndefined();
});

it('has none that is old, and none where nothing was asked', () => {
  ask(10_001);
  expect(askedEarly(request())).toBeUndefined();
  delete window.harit;
  expect(askedEarly(request())).toBeUndefined();
});

/** What the cache has under a name after the answers were put into it. */
async function kept(key: readonly string[]) {
  const cache = new QueryClient();
  keepEarly(cache);
  await new Promise((wake) => setTimeout(wake, 20));
  return cache.getQueryState(key);
}

it.each([
  ['/api/farms', keys.farms],
  ['/api/farms/f1/verdict', keys.verdict('f1')],
  ['/api/farms/f1/latest-telemetry', keys.latestTelemetry('f1')],
  ['/api/farms/f1/devices', keys.devices('f1')],
  ['/api/farms/f1/rules', keys.rules('f1')],
  ['/api/farms/f1/polyhouses', keys.polyhouses('f1')],
  ['/api/farms/f1/work', keys.work('f1')],
  ['/api/farms/f1/stop', keys.stops('f1')],
  ['/api/farms/f1/conditions', keys.conditions('f1')],
  ['/api/farms/f1/setpoints', keys.setpoints('f1')],
])('puts the answer of %s where the pages look for it, of when it was asked', async (path, key) => {
  const { asked } = ask(3_000, path);
  const { at } = asked.get(path) ?? {};
  expect(await kept(key)).toMatchObject({ data: ['said'], dataUpdatedAt: at });
  // What is asked from now on is asked anew.
  expect(asked.size).toBe(0);
});

it('puts what is asked once the farm is known there too', async () => {
  const { asked } = ask(0, '/api/farms');
  const question = asked.get('/api/farms');
  const more = Promise.resolve().then(
    () =>
      question &&
      asked.set('/api/farms/f1/rules', { ...question, answer: Promise.resolve(new Response('[]')) }),
  );
  window.harit = { ...(window.harit as NonNullable<typeof window.harit>), allAsked: more };
  expect(await kept(keys.rules('f1'))).toMatchObject({ data: [] });
});

it.each([
  ['is a refusal', async () => new Response('["said"]', { status: 403 }), 0],
  ['never came', () => Promise.reject(new TypeError('no network')), 0],
  ['is old', undefined, 10_001],
])('leaves an answer out that %s', async (_, answer, age) => {
  ask(age, PATH, answer?.());
  expect(await kept(keys.farms)).toBeUndefined();
});

it.each([
  ['a call has got it', () => askedEarly(request())],
  ['somebody else has signed in', () => signIn('other', owner)],
  ['another language is shown', () => document.documentElement.setAttribute('lang', 'en')],
])('leaves an answer out when %s', async (_, meanwhile) => {
  ask();
  meanwhile();
  expect(await kept(keys.farms)).toBeUndefined();
});
