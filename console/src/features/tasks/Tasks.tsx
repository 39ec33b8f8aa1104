// The tasks of the farm on a board of four columns (spec 2.12).
import { Button, Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Overdue from '~icon/CalendarExclamation';
import Add from '~icon/Plus';
import Mine from '~icon/User';
import type { FarmPageProps } from '../../api/farms';
import { useSession } from '../../api/session';
import { failedLoad, failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { Board } from './Board';
import { useBoard, useDeleteTask } from './queries';
import { TaskForm } from './TaskForm';
import { TaskRead } from './TaskRead';
import classes from './Tasks.module.css';
import { matching, statuses, type Task, type TaskStatus } from './task';

export default function Tasks({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const session = useSession();
  const { query, tasks, move, refusal } = useBoard(farmId);
  const remove = useDeleteTask(farmId);
  const [search, change] = useBoardUrl();
  const me = session.state === 'authenticated' ? session.user.id : undefined;
  const filtered = search.mine || search.overdue;
  const shown = tasks && matching(tasks, { mine: search.mine ? me : undefined, overdue: search.overdue });
  const opened = tasks?.find(({ id }) => id === search.task);
  const close = () => change({ new: null, task: null });
  const trouble = refusal
    ? failureText(t, refusal, t('tasks.moveFailed'))
    : remove.isError
      ? failureText(t, remove.error, t('tasks.deleteFailed'))
      : undefined;

  const deleteTask = (task: Task) => {
    if (window.confirm(t('tasks.confirmDelete'))) remove.mutate(task.id);
  };
  return (
    <div className={classes['page']} aria-busy={query.isPending}>
      <div className={classes['head']}>
        <h1>{t('tasks.title')}</h1>
        {writes && (
          <Button leftSection={<Add size={20} aria-hidden />} onClick={() => change({ new: '' })}>
            {t('tasks.create')}
          </Button>
        )}
      </div>
      <fieldset className={classes['filters']}>
        <legend>{t('tasks.show')}</legend>
        <button
          type="button"
          aria-pressed={search.mine}
          onClick={() => change({ mine: search.mine ? null : '' })}
        >
          <Mine size={20} aria-hidden />
          {t('tasks.mine')}
        </button>
        <button
          type="button"
          aria-pressed={search.overdue}
          onClick={() => change({ overdue: search.overdue ? null : '' })}
        >
          <Overdue size={20} aria-hidden />
          {t('tasks.overdue')}
        </button>
      </fieldset>
      {trouble && <Banner tone="bad" text={trouble} />}
      {query.isError && <Banner {...failedLoad(t, query, t('tasks.loadFailed'))} />}
      {query.isPending && <Loading />}
      {shown && (
        <Board
          tasks={shown}
          column={search.column}
          onColumn={(column) => change({ column })}
          filtered={filtered}
          writes={writes}
          onMove={move}
          onDelete={deleteTask}
          linkTo={({ id }) => search.with({ task: id })}
        />
      )}
      <Dialog
        opened={writes && (search.new || opened !== undefined)}
        onClose={close}
        title={t(opened ? 'tasks.edit' : 'tasks.add')}
        closeLabel={t('form.close')}
      >
        <TaskForm
          key={opened?.id ?? 'new'}
          farmId={farmId}
          task={opened}
          categories={categoriesOf(tasks ?? [])}
          onDone={close}
        />
      </Dialog>
      <Dialog
        opened={!writes && opened !== undefined}
        onClose={close}
        title={t('tasks.task')}
        closeLabel={t('form.close')}
      >
        {opened && <TaskRead task={opened} />}
      </Dialog>
    </div>
  );
}

/** What of the board stands in the URL, and the ways to change it. */
function useBoardUrl() {
  const [params, setParams] = useSearchParams();
  const merged = (changes: Record<string, string | null>) => {
    const next = new URLSearchParams(params);
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) next.delete(key);
      else next.set(key, value);
    }
    return next;
  };
  const column = statuses.find((status) => status === params.get('column')) ?? 'OPEN';
  const url = {
    new: params.has('new'),
    task: params.get('task'),
    mine: params.has('mine'),
    overdue: params.has('overdue'),
    column: column as TaskStatus,
    with: (changes: Record<string, string | null>) => `?${merged(changes)}`,
  };
  const change = (changes: Record<string, string | null>) => setParams(merged(changes), { replace: true });
  return [url, change] as const;
}

function categoriesOf(tasks: readonly Task[]): string[] {
  return [...new Set(tasks.flatMap(({ category }) => (category ? [category] : [])))].sort();
}

function Loading() {
  const { t } = useTranslation();
  return (
    <>
      <p className={classes['loading']} role="status">
        {t('app.loading')}
      </p>
      <div className={classes['shapes']} aria-hidden>
        {statuses.map((status) => (
          <div key={status}>
            <Skeleton height={28} width="50%" />
            <Skeleton height={150} radius="md" />
            <Skeleton height={150} radius="md" />
          </div>
        ))}
      </div>
    </>
  );
}
