import { QueryClient, type QueryKey, QueryObserver } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keys } from './keys';
import { type OpenSocket, openLive } from './live';
import { useLiveStatus } from './live-status';

/** A socket in the hands of the test. */
function fakeSocket() {
  const handlers = new Map<string, ((payload?: unknown) => void)[]>();
  let acknowledge: ((answer: unknown) => void) | undefined;
  const socket = {
    active: true,
    on: vi.fn((event: string, handler: (payload?: unknown) => void) =>
      handlers.set(event, [...(handlers.get(event) ?? []), handler]),
    ),
    emit: vi.fn((_event: string, _payload: unknown, answer: (answer: unknown) => void) => {
      acknowledge = answer;
    }),
    connect: vi.fn(),
    disconnect: vi.fn(),
  };
  const hear = (event: string, payload?: unknown) => {
    for (const handler of handlers.get(event) ?? []) handler(payload);
  };
  /** What the server says to the latest subscription. */
  const answer = (said: unknown) => acknowledge?.(said);
  /** A connection that is taken, and whose subscription is. */
  const subscribed = () => {
    hear('connect');
    answer({ ok: true, farmId: 'farm-1' });
  };
  return { socket, hear, answer, subscribed };
}

let cache: QueryClient;
let close: () => void;
let world: ReturnType<typeof fakeSocket>;
let cleanups: (() => void)[] = [];
const open = vi.fn(() => world.socket);

beforeEach(() => {
  vi.useFakeTimers();
  cache = new QueryClient();
  world = fakeSocket();
  close = openLive(cache, 'farm-1', 'secret', open as unknown as OpenSocket);
});
afterEach(() => {
  vi.restoreAllMocks();
  close();
  for (const cleanup of cleanups) cleanup();
  cleanups = [];
});

const status = () => renderHook(() => useLiveStatus()).result.current;

describe('openLive', () => {
  it('shows the token, and subscribes to the farm on every connect', () => {
    expect(open).toHaveBeenCalledWith('secret', 'farm-1');
    world.hear('connect');
    expect(world.socket.emit).toHaveBeenCalledExactlyOnceWith(
      'subscribe',
      { farmId: 'farm-1' },
      expect.any(Function),
    );
    world.hear('disconnect');
    world.hear('connect');
    expect(world.socket.emit).toHaveBeenCalledTimes(2);
  });

  it('is live from the subscription to the disconnect', () => {
    world.hear('connect');
    expect(status()).toBe('off');
    world.answer({ ok: true, farmId: 'farm-1' });
    expect(status()).toBe('on');
    world.hear('disconnect');
    expect(status()).toBe('off');
  });

  it('is not live when its subscription was refused, and asks again after a while', async () => {
    world.hear('connect');
    world.answer({ ok: false, code: 'too_many_attempts' });
    expect(status()).toBe('off');
    await vi.advanceTimersByTimeAsync(9_000);
    expect(world.socket.emit).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(world.socket.emit).toHaveBeenCalledTimes(2);
    world.answer({ ok: true, farmId: 'farm-1' });
    expect(status()).toBe('on');
  });

  it('folds telemetry and means into the cache, once that is loaded', () => {
    const key = keys.latestTelemetry('farm-1');
    const sensor = { id: 'a', type: 'ph', unit: '', latestValue: 6, at: 1 };
    const mean = { value: 6.25, unit: '', at: 2, optimal: null, worst: null };
    world.hear('telemetry', { sensors: [sensor] });
    world.hear('means', { latest: { ph: mean } });
    expect(cache.getQueryData(key)).toBeUndefined();
    cache.setQueryData(key, { sensors: [sensor], latest: {} });
    world.hear('telemetry', { sensors: [{ ...sensor, latestValue: 6.25, at: 2 }] });
    expect(cache.getQueryData(key)).toMatchObject({ sensors: [{ latestValue: 6.25 }], latest: {} });
    world.hear('means', { latest: { ph: mean } });
    expect(cache.getQueryData(key)).toMatchObject({ sensors: [{ latestValue: 6.25 }], latest: { ph: mean } });
  });

  it('asks for the farm again when nobody answers, and counts the first answer', async () => {
    const load = show(keys.logs(farm));
    await vi.advanceTimersByTimeAsync(10);
    world.hear('connect');
    await vi.advanceTimersByTimeAsync(3_500);
    expect(world.socket.emit).toHaveBeenCalledTimes(2);
    expect(status()).toBe('off');
    world.answer({ ok: true, farmId: farm });
    expect(status()).toBe('on');
    await vi.advanceTimersByTimeAsync(10);
    expect(load).toHaveBeenCalledTimes(2);
    // The answer to the other try, a little late.
    world.answer({ ok: true, farmId: farm });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(load).toHaveBeenCalledTimes(2);
    expect(world.socket.emit).toHaveBeenCalledTimes(2);
  });

  it('asks for nothing more while the connection is down', async () => {
    world.hear('connect');
    world.hear('disconnect');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(world.socket.emit).toHaveBeenCalledTimes(1);
  });

  it('knocks again when the server closed the connection, which socket.io would leave closed', async () => {
    expect(world.socket.connect).toHaveBeenCalledTimes(1);
    world.hear('connect');
    world.socket.active = false;
    world.hear('disconnect');
    await vi.advanceTimersByTimeAsync(2_500);
    expect(world.socket.connect).toHaveBeenCalledTimes(2);
    world.hear('connect_error');
    await vi.advanceTimersByTimeAsync(2_500);
    expect(world.socket.connect).toHaveBeenCalledTimes(3);
  });

  it('leaves the knocking to socket.io while that still tries', async () => {
    world.hear('disconnect');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(world.socket.connect).toHaveBeenCalledTimes(1);
  });

  it('is quiet once closed', async () => {
    world.hear('connect');
    world.socket.active = false;
    world.hear('disconnect');
    close();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(world.socket.disconnect).toHaveBeenCalledTimes(1);
    expect(world.socket.connect).toHaveBeenCalledTimes(1);
    expect(status()).toBe('off');
  });
});

/** A load that the test ends when it likes; it counts how often it is asked for. */
function slowLoad() {
  const answers: ((value: unknown) => void)[] = [];
  const load = vi.fn(() => new Promise<unknown>((resolve) => answers.push(resolve)));
  return { load, answer: (value: unknown) => answers.shift()?.(value) };
}

/** What a screen shows: a query that is asked for again when it is old. */
function show(key: QueryKey, load: () => unknown = () => Promise.resolve(1)) {
  const queryFn = vi.fn(load);
  const unsubscribe = new QueryObserver(cache, { queryKey: key, queryFn, staleTime: 1e9 }).subscribe(
    () => {},
  );
  cleanups.push(unsubscribe);
  return queryFn;
}

const farm = 'farm-1';
const shown = {
  summary: keys.summary(farm),
  tasks: keys.tasks(farm),
  polyhouses: keys.polyhouses(farm),
  reservoirs: keys.reservoirs(farm),
  sensors: keys.sensors(farm),
  controllers: keys.controllers(farm),
  devices: keys.devices(farm),
  rules: keys.rules(farm),
  alerts: keys.alerts(farm),
  logs: [...keys.logs(farm), { page: 2 }],
  notifications: keys.notifications(farm),
  latestTelemetry: keys.latestTelemetry(farm),
  users: keys.users(farm),
  records: keys.records(farm),
  weather: keys.weather(farm),
} satisfies Record<string, QueryKey>;
type Shown = keyof typeof shown;

describe('what happened before the subscription', () => {
  it('is asked for once, of all that was loaded before and is told of live', async () => {
    const loads = Object.entries(shown).map(([name, key]) => ({ name, load: show(key) }));
    world.hear('connect');
    await vi.advanceTimersByTimeAsync(200);
    for (const { load } of loads) expect(load).toHaveBeenCalledTimes(1);
    world.answer({ ok: true, farmId: farm });
    await vi.advanceTimersByTimeAsync(10_000);
    const asked = loads.filter(({ load }) => load.mock.calls.length === 2).map(({ name }) => name);
    // Nothing ever tells that the weather changed.
    expect(asked.toSorted()).toEqual(
      Object.keys(shown)
        .filter((name) => name !== 'weather')
        .toSorted(),
    );
  });

  it('is in what is loaded afterwards, which is loaded once', async () => {
    world.subscribed();
    await vi.advanceTimersByTimeAsync(10);
    const load = show(keys.logs(farm));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('is asked for after a load that was under way', async () => {
    const slow = slowLoad();
    const load = show(keys.logs(farm), slow.load);
    world.subscribed();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(load).toHaveBeenCalledTimes(1);
    slow.answer('before');
    await vi.advanceTimersByTimeAsync(600);
    expect(load).toHaveBeenCalledTimes(2);
    slow.answer('after');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(cache.getQueryData(keys.logs(farm))).toBe('after');
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('is asked for on every reconnect, also by what could not be loaded meanwhile', async () => {
    world.subscribed();
    await vi.advanceTimersByTimeAsync(10);
    const rules = show(keys.rules(farm));
    const weather = show(keys.weather(farm), () => Promise.reject(new Error('away')));
    await vi.advanceTimersByTimeAsync(20_000);
    rules.mockClear();
    weather.mockClear();
    world.hear('disconnect');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rules).not.toHaveBeenCalled();
    world.subscribed();
    await vi.advanceTimersByTimeAsync(1);
    expect(rules).toHaveBeenCalledTimes(1);
    expect(weather).toHaveBeenCalledTimes(1);
  });

  it('is no concern of another farm', async () => {
    const load = show(keys.rules('farm-2'));
    await vi.advanceTimersByTimeAsync(10);
    world.subscribed();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(load).toHaveBeenCalledTimes(1);
  });
});

describe('what live messages make old', () => {
  const automation: Shown[] = ['rules', 'devices', 'alerts', 'sensors', 'summary', 'logs'];
  it.each<[string, unknown, Shown[]]>([
    ['event', { at: 1, event: 'rule_fired', rule: 'r' }, ['rules', 'devices', 'logs']],
    ['event', { at: 1, event: 'rule_blocked', rule: 'r' }, ['rules', 'logs']],
    ['event', { at: 1, event: 'device_locked', device: 'd' }, ['devices', 'rules', 'logs']],
    ['event', { at: 1, event: 'alert_raised', alert: 'a' }, ['alerts', 'summary', 'logs']],
    ['event', { at: 1, event: 'alert_resolved', alert: 'a' }, ['alerts', 'summary', 'logs']],
    ['event', { at: 1, event: 'of_tomorrow' }, automation],
    ['event', null, automation],
    ['command', { command_id: 'c', changed_at: 1 }, ['devices', 'logs']],
    ['controller', { mac: 'AA', online: false }, ['controllers', 'devices', 'sensors', 'rules', 'logs']],
    [
      'registry',
      {},
      [
        'polyhouses',
        'reservoirs',
        'sensors',
        'controllers',
        'devices',
        'rules',
        'alerts',
        'summary',
        'latestTelemetry',
      ],
    ],
    ['log', {}, ['logs']],
    ['records', { kinds: ['tasks'] }, ['tasks', 'summary']],
    ['records', { kinds: ['notifications', 'tasks'] }, ['notifications', 'tasks', 'summary']],
    ['records', { kinds: ['reservoirs'] }, ['reservoirs', 'summary', 'latestTelemetry']],
    ['records', { kinds: ['controllers'] }, ['controllers', 'reservoirs']],
    ['records', { kinds: ['log'] }, []],
    // A kind without a line of its own is one of the farm's records.
    ['records', { kinds: ['of_tomorrow'] }, ['records', 'summary', 'tasks']],
    ['records', null, []],
    ['reload', {}, Object.keys(shown) as Shown[]],
  ])('%s %j', async (message, payload, expected) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.1);
    const loads = Object.entries(shown).map(([name, key]) => ({ name, load: show(key) }));
    await vi.advanceTimersByTimeAsync(0);
    for (const { load } of loads) load.mockClear();
    world.hear(message, payload);
    await vi.advanceTimersByTimeAsync(600);
    const asked = loads.filter(({ load }) => load.mock.calls.length > 0).map(({ name }) => name);
    expect(asked.toSorted()).toEqual(expected.toSorted());
  });

  it('asks at most twice a second however much happens, and for the last of it too', async () => {
    const load = show(keys.devices(farm));
    await vi.advanceTimersByTimeAsync(0);
    load.mockClear();
    for (let i = 0; i < 150; i++) {
      world.hear('event', { at: i, event: 'command', device: 'd' });
      await vi.advanceTimersByTimeAsync(20);
    }
    expect(load.mock.calls.length).toBeGreaterThanOrEqual(5);
    expect(load.mock.calls.length).toBeLessThanOrEqual(6);
    const before = load.mock.calls.length;
    world.hear('event', { at: 150, event: 'command', device: 'd' });
    await vi.advanceTimersByTimeAsync(600);
    expect(load).toHaveBeenCalledTimes(before + 1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(load).toHaveBeenCalledTimes(before + 1);
  });

  it('lets a slow load end before it asks again, so that there is always an answer', async () => {
    const slow = slowLoad();
    const load = show(keys.rules(farm), slow.load);
    expect(load).toHaveBeenCalledTimes(1);
    for (let i = 0; i < 6; i++) {
      world.hear('event', { at: i, event: 'rule_fired', rule: 'r' });
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(load).toHaveBeenCalledTimes(1);
    slow.answer('first');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(cache.getQueryData(keys.rules(farm))).toBe('first');
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('waits a random while before it loads everything, because every screen was told at once', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.9);
    const load = show(keys.rules(farm));
    await vi.advanceTimersByTimeAsync(0);
    world.hear('reload');
    world.hear('reload');
    await vi.advanceTimersByTimeAsync(2_600);
    expect(load).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(load).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('asks for nothing once closed', async () => {
    const load = show(keys.rules(farm));
    await vi.advanceTimersByTimeAsync(0);
    world.hear('registry');
    world.hear('reload');
    close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(load).toHaveBeenCalledTimes(1);
  });
});

describe('a command that a screen follows', () => {
  const key = keys.command(farm, 'farm-1-7');
  const command = (state: string, changed_at: number) => ({ command_id: 'farm-1-7', state, changed_at });

  it('is written as it goes on, never backwards', async () => {
    show(key, () => Promise.resolve(command('queued', 1)));
    await vi.advanceTimersByTimeAsync(0);
    world.hear('command', command('acked', 3));
    expect(cache.getQueryData(key)).toMatchObject({ state: 'acked' });
    world.hear('command', command('sent', 2));
    expect(cache.getQueryData(key)).toMatchObject({ state: 'acked' });
  });

  it('is asked for again when the message crossed with an answer', async () => {
    const slow = slowLoad();
    const load = show(key, slow.load);
    world.hear('command', command('acked', 3));
    expect(cache.getQueryData(key)).toMatchObject({ state: 'acked' });
    slow.answer(command('sent', 2));
    await vi.advanceTimersByTimeAsync(600);
    expect(load).toHaveBeenCalledTimes(2);
    slow.answer(command('acked', 3));
    await vi.advanceTimersByTimeAsync(0);
    expect(cache.getQueryData(key)).toMatchObject({ state: 'acked' });
  });

  it('is not kept when nobody follows it, as rules send them all day', () => {
    world.hear('command', command('acked', 3));
    expect(cache.getQueryCache().findAll({ queryKey: ['farm', farm, 'command'] })).toEqual([]);
  });
});
