import { describe, expect, it, vi } from 'vitest';
import { answer, api, IDEMPOTENCY_KEY, ifMatch } from './client';
import { forgetSession, signIn, type User } from './session';

function reply(status: number, body: string, type = 'application/json') {
  const fetch = vi.fn<(request: Request) => Promise<Response>>(
    async () => new Response(status === 204 ? null : body, { status, headers: { 'content-type': type } }),
  );
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

const farms = () => answer(api.GET('/api/farms'));

describe('answer', () => {
  it('gives the data', async () => {
    reply(200, '[]');
    await expect(farms()).resolves.toEqual([]);
  });

  it('keeps the words and the code of a refusal', async () => {
    reply(403, '{"error":"Not yours","code":"forbidden"}');
    await expect(farms()).rejects.toMatchObject({
      kind: 'refused',
      status: 403,
      serverText: 'Not yours',
      code: 'forbidden',
    });
  });

  it('has no words where the server has none', async () => {
    reply(500, '{}');
    await expect(farms()).rejects.toMatchObject({ kind: 'refused', status: 500, serverText: undefined });
  });

  it('is a network failure when nothing answers', async () => {
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('connection refused');
    });
    await expect(farms()).rejects.toMatchObject({ kind: 'network' });
  });

  it('is a network failure when something else answers', async () => {
    reply(200, '<html>a proxy</html>', 'text/html');
    await expect(farms()).rejects.toMatchObject({ kind: 'network' });
  });
});

it('sends token and language', async () => {
  const fetch = reply(200, '[]');
  signIn('secret', { name: 'Asha' } as User);
  await farms();
  forgetSession();
  const request = fetch.mock.calls[0]?.[0];
  expect(request?.headers.get('authorization')).toBe('Bearer secret');
  expect(request?.headers.get('accept-language')).toBe('en');
  expect(request?.credentials).toBe('include');
});

describe('the key of a call', () => {
  const path = { farmId: 'f' };
  const post = (reason: string) =>
    answer(
      api.POST('/api/farms/{farmId}/devices/{deviceId}/lock', {
        params: { path: { ...path, deviceId: 'd' } },
        body: { reason },
      }),
    );
  const keyOf = async (fetch: ReturnType<typeof reply>, call: () => Promise<unknown>) => {
    await call().catch(() => undefined);
    return fetch.mock.calls.at(-1)?.[0].headers.get(IDEMPOTENCY_KEY);
  };

  it('is another for each POST that was answered, and there is none where nothing changes', async () => {
    const fetch = reply(201, '{}');
    const one = await keyOf(fetch, () => post('belt'));
    expect(one).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(await keyOf(fetch, () => post('belt'))).not.toBe(one);
    const list = () => api.GET('/api/farms/{farmId}/tasks', { params: { path } });
    expect(await keyOf(fetch, list)).toBeNull();
  });

  it('is that of the same call whose answer was lost a moment ago', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const fetch = reply(200, '{}');
    fetch.mockRejectedValueOnce(new TypeError('no network'));
    const first = await keyOf(fetch, () => post('belt'));
    expect(await keyOf(fetch, () => post('other'))).not.toBe(first);
    expect(await keyOf(fetch, () => post('belt'))).toBe(first);
    expect(await keyOf(fetch, () => post('belt'))).not.toBe(first);
    fetch.mockRejectedValueOnce(new TypeError('no network'));
    const late = await keyOf(fetch, () => post('belt'));
    fetch.mockResolvedValueOnce(new Response('{"error":"Wait","code":"under_way"}', { status: 409 }));
    expect(await keyOf(fetch, () => post('belt'))).toBe(late);
    vi.setSystemTime(Date.now() + 121_000);
    expect(await keyOf(fetch, () => post('belt'))).not.toBe(late);
    vi.useRealTimers();
  });
});

it('asks for the version that was seen, and for none where there is none', () => {
  expect(ifMatch({ id: 'r1', etag: '7' })).toEqual({ 'If-Match': '"7"' });
  expect([ifMatch({ id: 'r1' }), ifMatch({ etag: null }), ifMatch(undefined)]).toEqual([{}, {}, {}]);
});
