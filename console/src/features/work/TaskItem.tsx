// One task of a worker's: what and until when; begin, finish, say something, take a photo.
import { Button, FileButton, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Overdue from '~icon/CalendarExclamation';
import Camera from '~icon/Camera';
import Done from '~icon/Check';
import Note from '~icon/Pencil';
import Start from '~icon/PlayerPlay';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { StatePill } from '../../ui/StatePill';
import type { Tone } from '../../ui/tone';
import { type OwnTask, photoQuery, type TaskChange, usePhoto, useTaskChange } from './queries';
import { scaled } from './scaled';
import classes from './work.module.css';

const looks = {
  OPEN: { tone: 'quiet', word: 'work.state.open' },
  IN_PROGRESS: { tone: 'warn', word: 'work.state.begun' },
  IN_REVIEW: { tone: 'good', word: 'work.state.finished' },
  CLOSED: { tone: 'good', word: 'work.state.closed' },
} as const satisfies Record<OwnTask['status'], { tone: Tone; word: string }>;

const MAX_NOTE = 1_000;

export function TaskItem({ farmId, task }: { farmId: string; task: OwnTask }) {
  const { t } = useTranslation();
  const format = useFormat();
  const change = useTaskChange(farmId, task);
  const [noting, note] = useDisclosure(false);
  const [text, setText] = useState(task.note ?? '');
  const { tone, word } = looks[task.status];
  const step = (step: NonNullable<TaskChange['step']>) => change.mutate({ step });
  return (
    <li className={classes['item']} data-task={task.id}>
      <h3>{task.title}</h3>
      <p className={classes['line']}>
        <StatePill tone={tone} word={t(word)} />
        {task.isOverdue ? (
          <StatePill
            tone="bad"
            icon={Overdue}
            word={t('work.overdue', { day: format.dayOfMonth(task.dueDate) })}
          />
        ) : (
          <span>{t('work.until', { day: format.dayOfMonth(task.dueDate) })}</span>
        )}
        {task.about?.name && <span>{task.about.name}</span>}
      </p>
      {task.description && <p className={classes['text']}>{task.description}</p>}
      {change.isError && <Banner tone="bad" text={failureText(t, change.error, t('work.saveFailed'))} />}
      {task.note && !noting && <p className={classes['text']}>{t('work.noted', { note: task.note })}</p>}
      {noting && (
        <form
          className={classes['form']}
          onSubmit={(event) => {
            event.preventDefault();
            change.mutate({ note: text }, { onSuccess: note.close });
          }}
        >
          <Textarea
            label={t('work.note')}
            value={text}
            maxLength={MAX_NOTE}
            rows={3}
            autosize={false}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" loading={change.isPending}>
            {t('form.save')}
          </Button>
        </form>
      )}
      {task.status !== 'CLOSED' && (
        <>
          <Photo farmId={farmId} task={task} />
          <div className={classes['buttons']}>
            {task.status === 'OPEN' && (
              <Button
                size="lg"
                variant="default"
                leftSection={<Start size={22} aria-hidden />}
                disabled={change.isPending}
                onClick={() => step('begun')}
              >
                {t('work.begin')}
              </Button>
            )}
            {task.status === 'IN_REVIEW' ? (
              <Button size="lg" variant="default" disabled={change.isPending} onClick={() => step('begun')}>
                {t('work.again')}
              </Button>
            ) : (
              <Button
                size="lg"
                leftSection={<Done size={22} aria-hidden />}
                disabled={change.isPending}
                onClick={() => step('finished')}
              >
                {t('work.finish')}
              </Button>
            )}
            {!noting && (
              <Button
                size="lg"
                variant="default"
                leftSection={<Note size={20} aria-hidden />}
                onClick={() => {
                  setText(task.note ?? '');
                  note.open();
                }}
              >
                {t('work.note')}
              </Button>
            )}
          </div>
        </>
      )}
    </li>
  );
}

function Photo({ farmId, task }: { farmId: string; task: OwnTask }) {
  const { t } = useTranslation();
  const photo = useQuery(photoQuery(farmId, task)).data;
  const keep = usePhoto(farmId, task);
  const [unusable, setUnusable] = useState(false);
  const take = async (file: File | null) => {
    if (!file) return;
    const sent = await scaled(file);
    setUnusable(!sent);
    if (sent) keep.mutate(sent);
  };
  return (
    <div className={classes['photo']}>
      {task.photoAt !== null && photo && <img src={photo} alt={t('work.photoOf', { title: task.title })} />}
      {unusable && <Banner tone="bad" text={t('work.photoUnusable')} />}
      {keep.isError && <Banner tone="bad" text={failureText(t, keep.error, t('work.saveFailed'))} />}
      <div className={classes['buttons']}>
        <FileButton accept="image/*" capture="environment" onChange={take}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              loading={keep.isPending}
              leftSection={<Camera size={20} aria-hidden />}
            >
              {t(task.photoAt !== null ? 'work.photoAnew' : 'work.photo')}
            </Button>
          )}
        </FileButton>
        {task.photoAt !== null && (
          <Button variant="subtle" color="var(--h-bad)" onClick={() => keep.mutate(undefined)}>
            {t('work.photoDelete')}
          </Button>
        )}
      </div>
    </div>
  );
}
