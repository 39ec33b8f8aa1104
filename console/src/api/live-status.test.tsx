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

beforeEach(() => signIn('secret', owner));
afterEach(forgetSession);

it('opens the connection when its code comes, and none that nobody wants any more', async () => {
  const close = vi.fn();
  const openLive = vi.fn(() => close);
  let come = (_: { openLive: typeof openLive }) => {};
  const load = () => new Promise<{ openLive: typeof openLive }>((resolve) => (come = resolve));
  const first = renderHook(() => useLive('farm-1', load), { wrapper: within });
  expect(openLive).not.toHaveBeenCalled();
  come({ openLive });
  await Promise.resolve();
  expect(openLive).toHaveBeenCalledExactlyOnceWith(cache, 'farm-1', 'secret');
  first.unmount();
  expect(close).toHaveBeenCalledOnce();

  const second = renderHook(() => useLive('farm-1', load), { wrapper: within });
  second.unmount();
  come({ openLive });
  await Promise.resolve();
  expect(openLive).toHaveBeenCalledOnce();
});
