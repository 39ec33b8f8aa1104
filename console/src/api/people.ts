// The people of a farm, as several screens need them.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from './client';
import { keys } from './keys';
import type { components } from './schema';

export type FarmUser = components['schemas']['FarmUser'];
export type Invite = components['schemas']['Invite'];

export function usersQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.users(farmId),
    queryFn: async () =>
      (await answer(api.GET('/api/farms/{farmId}/users', { params: { path: { farmId } } }))).users,
  });
}

export function invitesQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.invites(farmId),
    queryFn: async () =>
      (await answer(api.GET('/onboarding/invites', { params: { query: { farmId } } }))).invites,
  });
}
