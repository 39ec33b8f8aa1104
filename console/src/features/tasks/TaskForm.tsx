// The form of one task, new or known; for those who may not change it, what it says.
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemAt } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { assigneesQuery, useSaveTask } from './queries';
import classes from './TaskForm.module.css';
import { type Priority, priorities, priorityLooks, type Task } from './task';

const NOBODY = '';

interface Props {
  farmId: string;
  /** What is edited; nothing when creating. */
  task: Task | undefined;
  /** What is in use already. */
  categories: readonly string[];
  onDone: () => void;
}

export function TaskForm({ farmId, task, categories, onDone }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const save = useSaveTask(farmId);
  const people = useQuery(assigneesQuery(farmId));
  const [title, setTitle] = useState(task?.title ?? '');
  const [description, setDescription] = useState(task?.description ?? '');
  const [assignee, setAssignee] = useState(task?.assignee?.id ?? NOBODY);
  const [dueDate, setDueDate] = useState(task?.dueDate ?? format.isoDay(new Date()));
  const [category, setCategory] = useState(task?.category ?? '');
  const [priority, setPriority] = useState<Priority>(task?.priority ?? 'MEDIUM');
  const [tried, setTried] = useState(false);

  const wrong = {
    title: title.trim() === '' ? t('tasks.titleRequired') : undefined,
    dueDate: dueDate === '' ? t('tasks.dueDateRequired') : undefined,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (wrong.title || wrong.dueDate) return;
    const fields = {
      title: title.trim(),
      description: description.trim() || null,
      assigneeId: assignee || null,
      dueDate,
      category: category.trim() || null,
      priority,
      ...(task && { status: task.status }),
    };
    save.mutate({ id: task?.id, fields }, { onSuccess: onDone });
  };

  const choices = [
    { value: NOBODY, label: t('tasks.nobody') },
    // Whoever has it stays in the list, even if they have left the farm.
    ...(task?.assignee && !people.data?.some(({ id }) => id === task.assignee?.id) ? [task.assignee] : [])
      .concat(people.data ?? [])
      .map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      {save.isError && <Banner tone="bad" text={failureText(t, save.error, t('tasks.saveFailed'))} />}
      <TextInput
        label={t('tasks.name')}
        name="title"
        required
        data-autofocus
        autoComplete="off"
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        error={(tried && wrong.title) || problemAt(save.error, 'title')}
      />
      <Textarea
        label={t('tasks.description')}
        name="description"
        rows={3}
        resize="vertical"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        error={problemAt(save.error, 'description')}
      />
      <NativeSelect
        label={t('tasks.assignee')}
        name="assigneeId"
        value={assignee}
        onChange={(event) => setAssignee(event.currentTarget.value)}
        data={choices}
        error={
          people.isError
            ? failureText(t, people.error, t('tasks.peopleFailed'))
            : problemAt(save.error, 'assigneeId')
        }
      />
      <div className={classes['pair']}>
        <TextInput
          label={t('tasks.dueDate')}
          name="dueDate"
          type="date"
          required
          value={dueDate}
          onChange={(event) => setDueDate(event.currentTarget.value)}
          error={(tried && wrong.dueDate) || problemAt(save.error, 'dueDate')}
        />
        <NativeSelect
          label={t('tasks.priority')}
          name="priority"
          value={priority}
          onChange={(event) => setPriority(event.currentTarget.value as Priority)}
          data={priorities.map((value) => ({ value, label: t(priorityLooks[value].name) }))}
          error={problemAt(save.error, 'priority')}
        />
      </div>
      <TextInput
        label={t('tasks.category')}
        name="category"
        autoComplete="off"
        list="task-categories"
        value={category}
        onChange={(event) => setCategory(event.currentTarget.value)}
        error={problemAt(save.error, 'category')}
      />
      <datalist id="task-categories">
        {categories.map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
      <div className={classes['buttons']}>
        <Button variant="default" onClick={onDone}>
          {t('form.cancel')}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {t('form.save')}
        </Button>
      </div>
    </form>
  );
}
