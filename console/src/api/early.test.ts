import { afterEach, expect, it } from 'vitest';
import { askedEarly } from './early';

const URL_ = 'http://localhost/api/farms?x=1';
const request = (token = 'secret', language = 'mr', method = 'GET') =>
  new Request(URL_, { method, headers: { Authorization: `Bearer ${token}`, 'Accept-Language': language } });

function ask(age = 0) {
  const answer = Promise.resolve(new Response('[]'));
  const asked = new Map([
    ['/api/farms?x=1', { token: 'secret', language: 'mr', at: Date.now() - age, answer }],
  ]);
  window.harit = {
    asked,
    fetchPage: () => {},
    plan: { files: [], frame: [], signIn: [], pages: {}, languages: {} },
  };
  return answer;
}

afterEach(() => {
  delete window.harit;
});

it('hands an answer to the call that asks the same, once', () => {
  const answer = ask();
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
