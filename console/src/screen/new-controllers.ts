// The passwords of controllers that were registered a moment ago. The server tells them once; here they live in memory
// until the person has noted them, and nowhere on the disk.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

export type NewController = components['schemas']['RegisteredAsset'];

/** Keeps what was just registered, beside what was not noted yet. */
export function keepNewControllers(cache: QueryClient, controllers: readonly NewController[]): void {
  cache.setQueryDefaults(keys.newControllers, { gcTime: Number.POSITIVE_INFINITY });
  cache.setQueryData<readonly NewController[]>(keys.newControllers, (before = []) => [
    ...before,
    ...controllers,
  ]);
}

/** What is to be noted still, and how to say that it was. */
export function useNewControllers(): [readonly NewController[], () => void] {
  const cache = useQueryClient();
  const { data = [] } = useQuery<readonly NewController[]>({
    queryKey: keys.newControllers,
    queryFn: () => [],
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return [data, () => cache.setQueryData(keys.newControllers, [])];
}
