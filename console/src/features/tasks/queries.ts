// The tasks of a farm: loading and changing them. A move shows at once; what the server has not taken yet lies over what it
// said, so that a refusal simply takes it away again.
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import { afterMove, type Move } from './task';

/** Without the live connection the board still follows. */
const RELOAD_MS = 30_000;

export function tasksQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.tasks(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/tasks', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

/** Who can be given a task. */
export function assigneesQuery(farmId: string) {
  return queryOptions({
    // Under the people's name: whoever changes them refreshes this too.
    queryKey: [...keys.users(farmId), 'assignees'],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/assignees', { params: { path: { farmId } } })),
  });
}

/** The board, and the dashboard's count of late tasks. */
async function refresh(cache: QueryClient, farmId: string): Promise<void> {
  await Promise.all([
    cache.invalidateQueries({ queryKey: keys.tasks(farmId) }),
    cache.invalidateQueries({ queryKey: keys.summary(farmId) }),
  ]);
}

/** The tasks with the moves on their way, and the way to move one. */
export function useBoard(farmId: string) {
  const cache = useQueryClient();
  const query = useQuery(tasksQuery(farmId));
  const [onTheWay, setOnTheWay] = useState<readonly Move[]>([]);
  const [refusal, setRefusal] = useState<Error>();
  const arrived = (move: Move) => setOnTheWay((moves) => moves.filter((other) => other !== move));
  const sending = useMutation({
    // One after the other: the second may name the first as its neighbour.
    scope: { id: `move-task-${farmId}` },
    mutationFn: ({ id, status, afterId }: Move) =>
      answer(
        api.POST('/api/farms/{farmId}/tasks/{taskId}/move', {
          params: { path: { farmId, taskId: id } },
          body: { status, afterId },
        }),
      ),
    onError: (error, move) => {
      setRefusal(error);
      arrived(move);
      void refresh(cache, farmId);
    },
    onSuccess: async (_, move) => {
      await refresh(cache, farmId);
      arrived(move);
    },
  });
  const tasks = useMemo(() => query.data && onTheWay.reduce(afterMove, query.data), [query.data, onTheWay]);
  const move = (wanted: Move) => {
    setRefusal(undefined);
    setOnTheWay((moves) => [...moves, wanted]);
    sending.mutate(wanted);
  };
  return { query, tasks, move, refusal };
}
