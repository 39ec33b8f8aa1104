// The form of one task, new or known.
import '@mantine/core/styles/SimpleGrid.css';
import { NativeSelect, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { FormDialog } from '../../screen/FormDialog';
import { AboutField, aboutOf, aboutValue } from './AboutField';
import { assigneesQuery } from './queries';
import { Report } from './Report';
import { priorities, priorityLooks, type Task } from './task';

const NOBODY = '';

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  /** What is edited; nothing when creating. */
  task: Task | undefined;
  /** What a new one begins with. */
  start: { title: string; description: string; about: string };
  /** What is in use already. */
  categories: readonly string[];
}

export default function TaskForm({ farmId, task, start, categories, ...dialog }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const people = useQuery({ ...assigneesQuery(farmId), enabled: dialog.opened });
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t(task ? 'tasks.edit' : 'tasks.add')}
      failed={t('tasks.saveFailed')}
      known={task}
      values={(known) => ({
        title: known?.title ?? start.title,
        description: known?.description ?? start.description,
        assigneeId: known?.assignee?.id ?? NOBODY,
        dueDate: known?.dueDate ?? format.isoDay(new Date()),
        category: known?.category ?? '',
        priority: known?.priority ?? 'MEDIUM',
        about: known ? aboutValue(known.about) : start.about,
      })}
      check={({ title, dueDate }) => ({
        title: title.trim() === '' && t('tasks.titleRequired'),
        dueDate: dueDate === '' && t('tasks.dueDateRequired'),
      })}
      save={({ title, description, assigneeId, dueDate, category, priority, about }, known, headers) => {
        const body = {
          title: title.trim(),
          description: description.trim() || null,
          assigneeId: assigneeId || null,
          dueDate,
          category: category.trim() || null,
          priority,
          about: aboutOf(about),
        };
        return known
          ? api.PUT('/api/farms/{farmId}/tasks/{taskId}', {
              params: { path: { farmId, taskId: known.id } },
              headers,
              body: { ...body, status: known.status },
            })
          : api.POST('/api/farms/{farmId}/tasks', { params: { path: { farmId } }, headers, body });
      }}
    >
      {(form, known) => (
        <>
          {known && <Report farmId={farmId} task={known} />}
          <TextInput
            label={t('tasks.name')}
            name="title"
            required
            data-autofocus
            autoComplete="off"
            {...form.getInputProps('title')}
          />
          <Textarea
            label={t('tasks.description')}
            name="description"
            rows={3}
            resize="vertical"
            {...form.getInputProps('description')}
          />
          <NativeSelect
            label={t('tasks.assignee')}
            name="assigneeId"
            {...form.getInputProps('assigneeId')}
            {...(people.isError && { error: failureText(t, people.error, t('tasks.peopleFailed')) })}
            data={[
              { value: NOBODY, label: t('tasks.nobody') },
              // Whoever has it stays in the list, even if they have left the farm.
              ...(known?.assignee && !people.data?.some(({ id }) => id === known.assignee?.id)
                ? [known.assignee]
                : []
              )
                .concat(people.data ?? [])
                .map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          <AboutField
            farmId={farmId}
            known={known?.about}
            {...form.getInputProps('about')}
            error={form.errors['about'] ?? form.errors['about.id']}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="md">
            <TextInput
              label={t('tasks.dueDate')}
              name="dueDate"
              type="date"
              required
              {...form.getInputProps('dueDate')}
            />
            <NativeSelect
              label={t('tasks.priority')}
              name="priority"
              data={priorities.map((value) => ({ value, label: t(priorityLooks[value].name) }))}
              {...form.getInputProps('priority')}
            />
          </SimpleGrid>
          <TextInput
            label={t('tasks.category')}
            name="category"
            autoComplete="off"
            list="task-categories"
            {...form.getInputProps('category')}
          />
          <datalist id="task-categories">
            {categories.map((category) => (
              <option key={category} value={category} />
            ))}
          </datalist>
        </>
      )}
    </FormDialog>
  );
}
