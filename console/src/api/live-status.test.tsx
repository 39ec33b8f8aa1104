import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { owner } from '../test-console';
import { useLive } from './live-status';
import { forgetSession, signIn } from './session';

const cache = new QueryClient();
const within = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={cache}>{children}</QueryClientProvider>
);

beforeEach(() => {
  vi.useFakeTimers();
  signIn('secret', owner);
});

afterEach(() => {
  vi.useRealTimers();
  forgetSession();
});

it('asks again for code that did not come, until nobody wants it', async () => {
  const close = vi.fn();
  const openLive = vi.fn(() => close);
  const load = vi.fn().mockRejectedValueOnce(new Error('no network')).mockResolvedValue({ openLive });
  const first = renderHook(() => useLive('farm-1', load), { wrapper: within });
  await vi.advanceTimersByTimeAsync(2_900);
  expect([load.mock.calls.length, openLive.mock.calls.length]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(200);
  expect(openLive).toHaveBeenCalledExactlyOnceWith(cache, 'farm-1', 'secret');
  first.unmount();
  expect(close).toHaveBeenCalledOnce();

  load.mockRejectedValue(new Error('no network'));
  const second = renderHook(() => useLive('farm-1', load), { wrapper: within });
  await vi.advanceTimersByTimeAsync(0);
  second.unmount();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(load).toHaveBeenCalledTimes(3);
});
