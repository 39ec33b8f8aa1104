// Who holds each device of a farm.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';

/** In case the live connection is down; what holds by the clock ends without a message. */
const RELOAD_MS = 30_000;

export const holdersQuery = (farmId: string) =>
  queryOptions({
    queryKey: keys.holders(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/holders', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
