// A worker's own: what he has to do, the houses and devices that he was given, and what he does with them.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api, ifMatch } from '../../api/client';
import { keys } from '../../api/keys';
import { shownAs } from '../../api/photo';
import type { components } from '../../api/schema';
import { workQuery } from '../../api/work';

export type Work = components['schemas']['Work'];
export type OwnTask = Work['tasks'][number];
export type House = Work['houses'][number];
export type Device = Work['devices'][number];
export type WorkCommand = components['schemas']['WorkCommand'];
export type TaskChange = components['schemas']['WorkTaskChange'];

const at = (farmId: string, taskId: string) => ({ params: { path: { farmId, taskId } } });

/** Something that a worker does; his page is asked for again after it. */
function useDoing<Given, Said>(farmId: string, call: (given: Given) => Promise<Said>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSettled: () => cache.invalidateQueries({ queryKey: workQuery(farmId).queryKey }),
  });
}

export function useTaskChange(farmId: string, task: OwnTask) {
  return useDoing(farmId, (body: TaskChange) =>
    answer(
      api.PATCH('/api/farms/{farmId}/work/tasks/{taskId}', {
        ...at(farmId, task.id),
        headers: ifMatch(task),
        body,
      }),
    ),
  );
}

/** The photo of a task, as an address. */
export function photoQuery(farmId: string, task: OwnTask) {
  return queryOptions({
    queryKey: keys.photo(farmId, task.id, task.photoAt),
    queryFn: async () => {
      const blob = await answer(
        api.GET('/api/farms/{farmId}/work/tasks/{taskId}/photo', {
          ...at(farmId, task.id),
          parseAs: 'blob',
        }),
      );
      return shownAs(blob as unknown as Blob);
    },
    enabled: task.photoAt !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Keeps a photo, or with nothing takes it back. */
export function usePhoto(farmId: string, task: OwnTask) {
  return useDoing(farmId, (photo: Blob | undefined) =>
    photo
      ? answer(
          api.PUT('/api/farms/{farmId}/work/tasks/{taskId}/photo', {
            ...at(farmId, task.id),
            headers: { 'Content-Type': photo.type },
            // The document calls bytes a string.
            body: photo as unknown as string,
            bodySerializer: (body) => body,
          }),
        )
      : answer(api.DELETE('/api/farms/{farmId}/work/tasks/{taskId}/photo', at(farmId, task.id))),
  );
}

export function useCommand(farmId: string) {
  return useDoing(farmId, (body: WorkCommand) =>
    answer(api.POST('/api/farms/{farmId}/work/commands', { params: { path: { farmId } }, body })),
  );
}
