// The tasks of the farm on a board of four columns (spec 2.12).
import '@mantine/core/styles/SimpleGrid.css';
import { Button, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Overdue from '~icon/CalendarExclamation';
import Add from '~icon/Plus';
import Mine from '~icon/User';
import { api, ifMatch } from '../../api/client';
import type { FarmPageProps } from '../../api/farms';
import { useSession } from '../../api/session';
import { failureText } from '../../i18n/failure';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { PageLayout } from '../../ui/PageLayout';
import { Board } from './Board';
import { useBoard } from './queries';
import { TaskRead } from './TaskRead';
import classes from './Tasks.module.css';
import { matching, statuses, type Task, type TaskStatus } from './task';

/** Not with the page: the board is the heaviest of the console already. */
const TaskForm = lazy(() => import('./TaskForm'));

export default function Tasks({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const session = useSession();
  const { query, tasks, move, refusal } = useBoard(farmId);
  const { ask } = useAction(farmId);
  const [search, change] = useBoardUrl();
  const me = session.state === 'authenticated' ? session.user.id : undefined;
  const filtered = search.mine || search.overdue;
  const shown = tasks && matching(tasks, { mine: search.mine ? me : undefined, overdue: search.overdue });
  const opened = tasks?.find(({ id }) => id === search.task);
  const close = () => change({ new: null, task: null, title: null, description: null, about: null });
  const inForm = writes && (search.new || opened !== undefined);
  const [formLoads, loadForm] = useState(inForm);
  if (inForm && !formLoads) loadForm(true);
  const deleteTask = (task: Task) =>
    ask({
      question: t('tasks.confirmDelete'),
      failed: t('tasks.deleteFailed'),
      call: () =>
        api.DELETE('/api/farms/{farmId}/tasks/{taskId}', {
          params: { path: { farmId, taskId: task.id } },
          headers: ifMatch(task),
        }),
    });
  return (
    <PageLayout
      title={t('tasks.title')}
      busy={query.isPending}
      actions={
        writes && (
          <Button leftSection={<Add size={20} aria-hidden />} onClick={() => change({ new: '' })}>
            {t('tasks.create')}
          </Button>
        )
      }
    >
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
      {refusal && <Banner tone="bad" text={failureText(t, refusal, t('tasks.moveFailed'))} />}
      <QueryState query={query} failed={t('tasks.loadFailed')} shape={<Shapes />}>
        {(known) => (
          <Board
            tasks={shown ?? known}
            column={search.column}
            onColumn={(column) => change({ column })}
            filtered={filtered}
            writes={writes}
            onMove={move}
            onDelete={deleteTask}
            linkTo={({ id }) => search.with({ task: id })}
          />
        )}
      </QueryState>
      <Suspense>
        {formLoads && (
          <TaskForm
            farmId={farmId}
            opened={inForm}
            task={opened}
            start={search.start}
            categories={categoriesOf(tasks ?? [])}
            onClose={close}
          />
        )}
      </Suspense>
      <Dialog
        opened={!writes && opened !== undefined}
        onClose={close}
        title={t('tasks.task')}
        closeLabel={t('form.close')}
      >
        {opened && <TaskRead farmId={farmId} task={opened} />}
      </Dialog>
    </PageLayout>
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
    // What a link has a new task begin with.
    start: {
      title: params.get('title') ?? '',
      description: params.get('description') ?? '',
      about: params.get('about') ?? '',
    },
    with: (changes: Record<string, string | null>) => `?${merged(changes)}`,
  };
  const change = (changes: Record<string, string | null>) => setParams(merged(changes), { replace: true });
  return [url, change] as const;
}

function categoriesOf(tasks: readonly Task[]): string[] {
  return [...new Set(tasks.flatMap(({ category }) => (category ? [category] : [])))].sort();
}

function Shapes() {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
      {statuses.map((status) => (
        <Stack key={status}>
          <Skeleton height={28} width="50%" />
          <Skeleton height={150} radius="md" />
          <Skeleton height={150} radius="md" />
        </Stack>
      ))}
    </SimpleGrid>
  );
}
