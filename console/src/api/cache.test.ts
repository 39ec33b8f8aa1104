import { notifyManager, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { createCache } from './cache';

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
