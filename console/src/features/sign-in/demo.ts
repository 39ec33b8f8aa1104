// Whether this server is a demo, and what it would tell people by mail or text message.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';

/** How often the outbox is looked at while a sign-in page is open. */
const LOOK_EVERY_MS = 3_000;

// Not a demo, or no server: either way there is nothing to offer, and the form's own call will say what is wrong.
const demoQuery = queryOptions({
  queryKey: keys.demo,
  queryFn: () => answer(api.GET('/api/demo')),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** The demo's accounts; nothing elsewhere. */
export function useDemo() {
  return useQuery(demoQuery).data;
}

/** What lies in the demo's outbox, the latest first; empty elsewhere. */
export function useDemoOutbox() {
  const demo = useDemo();
  const { data } = useQuery({
    queryKey: keys.outbox,
    queryFn: () => answer(api.GET('/api/demo/outbox')),
    enabled: demo !== undefined,
    refetchInterval: (query) => (query.state.error ? false : LOOK_EVERY_MS),
    retry: false,
  });
  return data?.messages ?? [];
}
