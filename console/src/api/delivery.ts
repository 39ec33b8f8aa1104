// How codes and links reach people. Without a gateway nothing is sent, and no page may say that something was.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answer, api } from './client';
import { keys } from './keys';

const deliveryQuery = queryOptions({
  queryKey: keys.delivery,
  queryFn: () => answer(api.GET('/auth/delivery')),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Where codes and links go instead of to people; nothing where they do go there, or to the demo's page. */
export function useUndelivered(): 'log' | 'nobody' | undefined {
  const way = useQuery(deliveryQuery).data?.delivery;
  return way === 'log' || way === 'nobody' ? way : undefined;
}
