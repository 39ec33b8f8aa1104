import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, owner, serve, showConsole } from '../../test-console';

afterEach(() => {
  forgetSession();
  // Not all globals: those of test-setup.ts stay.
  for (const name of ['PushManager', 'Notification']) Reflect.deleteProperty(globalThis, name);
  Reflect.deleteProperty(navigator, 'serviceWorker');
});

const PHONE = 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36';
const browser = (id: string, current: boolean, sentAt: number | null = null) => ({
  id,
  current,
  userAgent: PHONE,
  createdAt: 0,
  sentAt,
});
const subscription = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/abc',
  expirationTime: null,
  keys: { p256dh: 'B', auth: 'A' },
};

/** A browser that can; `permission` is what the person answers. */
function able(permission: NotificationPermission = 'granted', before: NotificationPermission = 'default') {
  const unsubscribe = vi.fn(async () => true);
  const subscribe = vi.fn(async () => ({ toJSON: () => subscription }));
  const pushManager = { getSubscription: async () => ({ unsubscribe }), subscribe };
  const worker = { pushManager };
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: {
      ready: Promise.resolve(worker),
      getRegistration: async () => worker,
      register: async () => worker,
    },
  });
  vi.stubGlobal('PushManager', class {});
  vi.stubGlobal('Notification', { permission: before, requestPermission: async () => permission });
  return { subscribe, unsubscribe };
}

async function part(answers: Record<string, Answer>) {
  const server = serve({
    'GET /auth/sessions': { body: { sessions: [] } },
    'GET /auth/me': { body: { user: owner } },
    'GET /auth/me/told': { body: { ways: null, quiet: null } },
    'GET /auth/me/push': { body: { publicKey: 'KEY', browsers: [] } },
    ...answers,
  });
  const { person } = showConsole('/profile', owner);
  // The page's first answer draws it anew: what is looked for is looked for in all of it.
  await screen.findByRole('region', { name: 'Alerts on this phone or computer' });
  const made = (call: string) => server.calls.filter((each) => each.call === call);
  return { person, part: screen, made };
}

describe('alerts on this device', () => {
  it('are asked for by a tap, for the key of the server', async () => {
    const { subscribe, unsubscribe } = able();
    const list = { body: { publicKey: 'KEY', browsers: [] as object[] } };
    const {
      person,
      part: here,
      made,
    } = await part({
      'GET /auth/me/push': list,
      'POST /auth/me/push': { status: 201, body: browser('b1', true) },
    });
    list.body.browsers = [browser('b1', true)];
    await person.click(await here.findByRole('button', { name: 'Tell me here' }));
    await here.findByText('Alerts now appear here.');
    expect(subscribe).toHaveBeenCalledWith({ userVisibleOnly: true, applicationServerKey: 'KEY' });
    expect(unsubscribe).toHaveBeenCalledOnce();
    const { endpoint, keys } = subscription;
    expect(made('POST /auth/me/push')[0]?.body).toEqual({ endpoint, keys });
    expect(here.getByText('This device (Chrome, Android)')).toBeDefined();
    expect(here.queryByRole('button', { name: 'Tell me here' })).toBeNull();
  });

  it('are tried and stopped on each browser that has them', async () => {
    const { unsubscribe } = able('granted', 'granted');
    const {
      person,
      part: here,
      made,
    } = await part({
      'GET /auth/me/push': {
        body: {
          publicKey: 'KEY',
          browsers: [browser('b1', true), browser('b2', false, Date.parse('2026-11-21T06:30:00Z'))],
        },
      },
      'POST /auth/me/push/b1/test': { status: 202 },
      'DELETE /auth/me/push/b1': { status: 204 },
      'DELETE /auth/me/push/b2': { status: 204 },
    });
    await person.click(await here.findByRole('button', { name: 'Send a test to This device' }));
    await here.findByText('The test is on its way.');
    expect(here.getByText(/^Last message 21 Nov/)).toBeDefined();
    await person.click(here.getByRole('button', { name: 'Stop on Chrome, Android' }));
    expect(unsubscribe).not.toHaveBeenCalled();
    await person.click(here.getByRole('button', { name: 'Stop on This device' }));
    expect(unsubscribe).toHaveBeenCalledOnce();
    expect(made('DELETE /auth/me/push/b1')).toHaveLength(1);
    expect(made('DELETE /auth/me/push/b2')).toHaveLength(1);
  });

  it('say what stands in the way: a browser that cannot, a person who said no, a server that refuses', async () => {
    const first = await part({});
    first.part.getByText(/On an iPhone or iPad: tap Share/);
    expect(first.part.queryByRole('button', { name: 'Tell me here' })).toBeNull();
  });

  it('say how to allow what was refused', async () => {
    able('denied');
    const { person, part: here, made } = await part({});
    await person.click(await here.findByRole('button', { name: 'Tell me here' }));
    await here.findByText(/^This browser does not allow messages of Harit/);
    expect(made('POST /auth/me/push')).toHaveLength(0);
  });

  it('say why the server refuses', async () => {
    able();
    const { person, part: here } = await part({
      'POST /auth/me/push': {
        status: 422,
        body: { error: 'Not possible', code: 'invalid', problems: [] },
      },
    });
    await person.click(await here.findByRole('button', { name: 'Tell me here' }));
    await here.findByRole('alert');
    expect(here.getByRole('button', { name: 'Tell me here' })).toBeDefined();
  });
});
