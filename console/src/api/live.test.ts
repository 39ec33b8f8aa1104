import { QueryClient } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keys } from './keys';
import { type OpenSocket, openLive, useLiveStatus } from './live';

/** A socket in the hands of the test. */
function fakeSocket() {
  const handlers = new Map<string, (payload?: unknown) => void>();
  const socket = {
    active: true,
    on: vi.fn((event: string, handler: (payload?: unknown) => void) => handlers.set(event, handler)),
    emit: vi.fn(),
    connect: vi.fn(),
    disconnect: vi.fn(),
  };
  return { socket, hear: (event: string, payload?: unknown) => handlers.get(event)?.(payload) };
}

let cache: QueryClient;
let close: () => void;
let world: ReturnType<typeof fakeSocket>;
const open = vi.fn(async () => world.socket);

beforeEach(async () => {
  vi.useFakeTimers();
  cache = new QueryClient();
  world = fakeSocket();
  close = openLive(cache, 'farm-1', 'secret', open as unknown as OpenSocket);
  await vi.advanceTimersByTimeAsync(0);
});
afterEach(() => close());

const status = () => renderHook(() => useLiveStatus()).result.current;

describe('openLive', () => {
  it('shows the token, and subscribes to the farm on every connect', () => {
    expect(open).toHaveBeenCalledWith('secret');
    world.hear('connect');
    expect(world.socket.emit).toHaveBeenCalledExactlyOnceWith('subscribe', { farmId: 'farm-1' });
    world.hear('disconnect');
    world.hear('connect');
    expect(world.socket.emit).toHaveBeenCalledTimes(2);
  });

  it('is live between connect and disconnect', () => {
    expect(status()).toBe('off');
    world.hear('connect');
    expect(status()).toBe('on');
    world.hear('disconnect');
    expect(status()).toBe('off');
  });

  it('folds telemetry into the cache', () => {
    const sensor = { id: 'a', type: 'ph', unit: '', latestValue: 6, at: 1 };
    cache.setQueryData(keys.latestTelemetry('farm-1'), { sensors: [sensor], latest: {} });
    world.hear('telemetry', { sensors: [{ ...sensor, latestValue: 6.25, at: 2 }] });
    expect(cache.getQueryData(keys.latestTelemetry('farm-1'))).toMatchObject({
      latest: { ph: { value: 6.25 } },
    });
  });

  it('waits for the first load, and survives a message that is none', () => {
    world.hear('telemetry', { sensors: [{ id: 'a', type: 'ph', latestValue: 6 }] });
    expect(cache.getQueryData(keys.latestTelemetry('farm-1'))).toBeUndefined();
    world.hear('telemetry', { nonsense: true });
    world.hear('telemetry', null);
  });

  it('loads again what it may have missed, but not on the first connect', () => {
    const invalidate = vi.spyOn(cache, 'invalidateQueries');
    world.hear('connect');
    expect(invalidate).not.toHaveBeenCalled();
    world.hear('disconnect');
    world.hear('connect');
    expect(invalidate).toHaveBeenCalledExactlyOnceWith({ queryKey: ['farm', 'farm-1'] });
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
