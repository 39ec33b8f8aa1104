// The query cache and its rules: what is retried, and what a refused token means.
import { MutationCache, notifyManager, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors';
import { currentSession, forgetSession } from './session';

function onError(error: unknown): void {
  // The session ended on the server (expired, signed out elsewhere): the guard then leads to the sign-in page.
  if (error instanceof ApiError && error.status === 401 && currentSession().state === 'authenticated')
    forgetSession();
}

const ASK_AGAIN_MS = 5_000;

const isLost = (error: unknown) => error instanceof ApiError && error.kind === 'network';

/**
 * What was never loaded stays failed while it is asked for again: a screen must not go back and forth between its failure and
 * waiting, once for each try.
 */
function keepFailures(cache: QueryCache): QueryCache {
  const failures = new WeakMap<Query, Error>();
  cache.subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    if (action.type === 'error') failures.set(query, action.error);
    const failure = failures.get(query);
    if (!failure || query.state.status !== 'pending') return;
    if (action.type === 'fetch') query.setState({ status: 'error', error: failure });
    // it was reset: whoever asks now is somebody else
    else failures.delete(query);
  });
  return cache;
}

/** A frame: nobody sees what is drawn more often. */
const TOGETHER_MS = 16;

/**
 * Has pages told once of all answers that came within a frame. Each one told is a page drawn at once, all of it: a dozen that come
 * after each other keep an old phone from answering a tap for a second.
 */
export function tellTogether(): void {
  let waiting: (() => void)[] = [];
  const tell = () => {
    const all = waiting;
    waiting = [];
    for (const one of all) one();
  };
  notifyManager.setScheduler((one) => {
    if (waiting.push(one) === 1) setTimeout(tell, TOGETHER_MS);
  });
}

/** A cache for one run of the console. */
export function createCache(): QueryClient {
  return new QueryClient({
    queryCache: keepFailures(new QueryCache({ onError })),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // A farm's server is often on its own network: the browser's idea of "online" says nothing about it.
        networkMode: 'always',
        retry: (count, error) => count < 2 && isLost(error),
        retryDelay: 1_000,
        // What no answer came to is asked for again until one does.
        refetchInterval: ({ state }) => (isLost(state.error) ? ASK_AGAIN_MS : false),
        staleTime: 5_000,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}
