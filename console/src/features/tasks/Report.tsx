// What whoever does a task says of it: a note and a photo.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import { shownAs } from '../../api/photo';
import classes from './TaskRead.module.css';
import type { Task } from './task';

/** The photo of a task, as an address. */
function photoQuery(farmId: string, { id, photoAt }: Task) {
  return queryOptions({
    queryKey: keys.photo(farmId, id, photoAt),
    queryFn: async () => {
      const blob = await answer(
        api.GET('/api/farms/{farmId}/tasks/{taskId}/photo', {
          params: { path: { farmId, taskId: id } },
          parseAs: 'blob',
        }),
      );
      return shownAs(blob as unknown as Blob);
    },
    enabled: photoAt !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function Report({ farmId, task }: { farmId: string; task: Task }) {
  const { t } = useTranslation();
  const photo = useQuery(photoQuery(farmId, task)).data;
  return (
    <>
      {task.note && <p className={classes['note']}>{t('work.noted', { note: task.note })}</p>}
      {task.photoAt !== null && photo && (
        <img className={classes['photo']} src={photo} alt={t('work.photoOf', { title: task.title })} />
      )}
    </>
  );
}
