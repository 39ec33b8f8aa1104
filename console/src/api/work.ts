// What a worker has of the chosen farm. He is told live when it may be another, but not what is measured.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from './client';
import type { Farm } from './farms';
import { keys } from './keys';
import { may } from './permissions';

const RELOAD_MS = 5_000;

/** Whether the caller has but his own work in a farm, and not the farm. */
export function isWorkersOwn(farm: Farm | undefined): boolean {
  return may(farm, 'work:own') && !may(farm, 'farm:read');
}

export function workQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.work(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/work', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}
