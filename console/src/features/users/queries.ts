// Changing the people of a farm.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

export type UserFields = components['schemas']['NewFarmUser'];

/** Adds somebody, or changes who has an id. */
export function useSaveUser(farmId: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, fields }: { id: string | undefined; fields: Partial<UserFields> }) =>
      id === undefined
        ? answer(
            api.POST('/api/farms/{farmId}/users', {
              params: { path: { farmId } },
              body: fields as UserFields,
            }),
          )
        : answer(
            api.PATCH('/api/farms/{farmId}/users/{userId}', {
              params: { path: { farmId, userId: id } },
              body: fields,
            }),
          ),
    onSuccess: () => cache.invalidateQueries({ queryKey: keys.users(farmId) }),
  });
}

export function useSetActive(farmId: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, isActive }: { id: string; isActive: boolean }) => {
      const params = { path: { farmId, userId: id } };
      return answer(
        isActive
          ? api.POST('/api/farms/{farmId}/users/{userId}/activate', { params })
          : api.POST('/api/farms/{farmId}/users/{userId}/deactivate', { params }),
      );
    },
    onSettled: () => cache.invalidateQueries({ queryKey: keys.users(farmId) }),
  });
}

export function useDeleteUser(farmId: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (userId: string) =>
      answer(api.DELETE('/api/farms/{farmId}/users/{userId}', { params: { path: { farmId, userId } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.users(farmId) }),
  });
}
