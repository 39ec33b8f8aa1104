// What manual control asks the server: one command's life.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import { isOpen } from './life';
import type { CommandRequest } from './order';

export type Command = components['schemas']['Command'];
export type CommandResult = components['schemas']['CommandResult'];

/** While a command is on its way, and nobody may be listening live. */
const FOLLOW_MS = 2_000;

/** A command's life, asked for until it is over; the live connection writes into it too. */
export function commandQuery(farmId: string, commandId: string) {
  return queryOptions({
    queryKey: keys.command(farmId, commandId),
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/commands/{commandId}', { params: { path: { farmId, commandId } } }),
      ),
    refetchInterval: ({ state }) => (isOpen(state.data?.state) ? FOLLOW_MS : false),
    staleTime: 0,
  });
}

/** The groups of which so many devices run at a time. */
export function groupsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.deviceGroups(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/device-groups', { params: { path: { farmId } } })),
  });
}

export function useSendCommand(farmId: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: CommandRequest) =>
      answer(api.POST('/api/farms/{farmId}/commands', { params: { path: { farmId } }, body })),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.devices(farmId) }),
  });
}
