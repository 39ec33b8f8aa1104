import { defaultScheduler, notifyManager, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it, vi } from 'vitest';
import { createCache, tellTogether } from './cache';

const settled = () => new Promise((wake) => setTimeout(wake, 0));

describe('what could not be loaded', () => {
  it('stays failed while it is asked for again, and is forgotten with the answer', async () => {
    const cache = createCache();
    let answer: (() => void) | undefined;
    let refuse: ((why: Error) => void) | undefined;
    const observer = new QueryObserver(cache, {
      queryKey: ['something'],
      queryFn: () =>
        new Promise<string>((resolve, reject) => {
          answer = () => resolve('here');
          refuse = reject;
        }),
    });
    const seen: string[] = [];
    // As components do: they look when everything that happens at once has happened.
    const look = notifyManager.batchCalls(() => seen.push(observer.getCurrentResult().status));
    const stop = observer.subscribe(look);
    await settled();
    refuse?.(new Error('no'));
    await settled();
    expect(observer.getCurrentResult()).toMatchObject({ status: 'error', isFetching: false });

    void observer.refetch();
    await settled();
    expect(observer.getCurrentResult()).toMatchObject({
      status: 'error',
      isFetching: true,
      error: new Error('no'),
    });
    refuse?.(new Error('still no'));
    await settled();
    expect(observer.getCurrentResult()).toMatchObject({ status: 'error', error: new Error('still no') });

    void observer.refetch();
    await settled();
    answer?.();
    await settled();
    expect(observer.getCurrentResult()).toMatchObject({ status: 'success', data: 'here', error: null });
    expect(seen.slice(seen.indexOf('error'))).not.toContain('pending');
    stop();
  });

  it('waits again after a reset', async () => {
    const cache = createCache();
    let refuse: ((why: Error) => void) | undefined;
    const observer = new QueryObserver(cache, {
      queryKey: ['something'],
      queryFn: () => new Promise<string>((_, reject) => (refuse = reject)),
    });
    const stop = observer.subscribe(() => undefined);
    await settled();
    refuse?.(new Error('no'));
    await settled();
    void cache.resetQueries({ queryKey: ['something'] });
    await settled();
    expect(observer.getCurrentResult()).toMatchObject({ status: 'pending', isFetching: true, error: null });
    stop();
  });
});

describe('what comes within a frame', () => {
  it('is told at once, and what comes later by itself', () => {
    vi.useFakeTimers();
    tellTogether();
    try {
      const cache = createCache();
      const told: string[] = [];
      const tasks: string[] = [];
      const observers = ['a', 'b', 'c'].map((name) => {
        cache.setQueryData([name], 0);
        return new QueryObserver(cache, { queryKey: [name], staleTime: Infinity });
      });
      // As components do.
      for (const observer of observers)
        observer.subscribe(notifyManager.batchCalls(({ data }) => told.push(String(data))));
      const setLater = (name: string, after: number) =>
        setTimeout(() => {
          cache.setQueryData([name], name);
          tasks.push(`${name}: ${told.join('')}`);
        }, after);
      setLater('a', 1);
      setLater('b', 10);
      setLater('c', 30);
      vi.advanceTimersByTime(100);
      expect(tasks).toEqual(['a: ', 'b: ', 'c: ab']);
      expect(told).toEqual(['a', 'b', 'c']);
    } finally {
      vi.useRealTimers();
      notifyManager.setScheduler(defaultScheduler);
    }
  });
});
