// The passwords of controllers that were registered, or got a new one, a moment ago. The server tells them once; here they live in memory
// until the person has noted them, and nowhere on the disk.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { keys } from '../api/keys';
import type { components } from '../api/schema';

type Schemas = components['schemas'];

export type NewController = Pick<Schemas['Asset'], 'id' | 'name' | 'farmId'> & {
  mqtt: Schemas['MqttAccount'];
};

/** Keeps what was just made, beside what was not noted yet; an older password of the same controller is void. */
export function keepNewControllers(cache: QueryClient, controllers: readonly NewController[]): void {
  cache.setQueryDefaults(keys.newControllers, { gcTime: Number.POSITIVE_INFINITY });
  cache.setQueryData<readonly NewController[]>(keys.newControllers, (before = []) => [
    ...before.filter((old) => controllers.every(({ id }) => id !== old.id)),
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
