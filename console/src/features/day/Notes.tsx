// What people noted of moments of the time that is shown, and the way to note the minute that is read.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Edit from '~icon/Pencil';
import Add from '~icon/Plus';
import Delete from '~icon/Trash';
import { api, ifMatch } from '../../api/client';
import { useMay } from '../../api/permissions';
import type { components } from '../../api/schema';
import { useFormat } from '../../i18n/format';
import { useAction } from '../../screen/useAction';
import classes from './Day.module.css';
import { NoteForm } from './NoteForm';
import type { Note } from './queries';
import type { Viewer } from './view';

interface Props {
  farmId: string;
  house: components['schemas']['Polyhouse'];
  viewer: Viewer;
  /** The minute that is read. */
  at: number;
  /** Those that are shown, oldest first. */
  notes: readonly Note[];
}

export function Notes({ farmId, house, viewer, at, notes }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const writes = useMay()('crops:write');
  const { ask } = useAction(farmId);
  // What is written: of a known note, or of a minute.
  const [written, write] = useState<Note | number>();
  const [opened, open] = useState(false);
  const begin = (of: Note | number) => {
    write(of);
    open(true);
  };
  const remove = (note: Note) =>
    ask({
      question: t('day.notes.confirmDelete'),
      failed: t('day.notes.deleteFailed'),
      call: () =>
        api.DELETE('/api/farms/{farmId}/notes/{noteId}', {
          params: { path: { farmId, noteId: note.id } },
          headers: ifMatch(note),
        }),
    });
  if (notes.length === 0 && !writes) return null;
  return (
    <section className={classes['notes']} aria-label={t('day.notes.title')}>
      <h2>{t('day.notes.title')}</h2>
      {notes.length > 0 && (
        <ul>
          {notes.map((note) => (
            <li key={note.id}>
              <div>
                <button
                  type="button"
                  className={classes['moment'] ?? ''}
                  onClick={() => viewer.set({ window: viewer.get().window, at: note.at })}
                >
                  {[format.dayTime(new Date(note.at)), zoneName(note)].filter(Boolean).join(' · ')}
                </button>
                <p>{note.text}</p>
              </div>
              {writes && (
                <>
                  <button
                    type="button"
                    className={classes['round'] ?? ''}
                    aria-label={t('day.notes.edit')}
                    onClick={() => begin(note)}
                  >
                    <Edit size={20} aria-hidden />
                  </button>
                  <button
                    type="button"
                    className={classes['round'] ?? ''}
                    aria-label={t('day.notes.delete')}
                    onClick={() => remove(note)}
                  >
                    <Delete size={20} aria-hidden />
                  </button>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {writes && (
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          onClick={() => begin(Math.round(at))}
        >
          {t('day.notes.add', { time: format.dayTime(new Date(at)) })}
        </Button>
      )}
      {written !== undefined && (
        <NoteForm farmId={farmId} house={house} opened={opened} of={written} onClose={() => open(false)} />
      )}
    </section>
  );

  function zoneName({ zoneId }: Note) {
    return house.zones.find(({ id }) => id === zoneId)?.name;
  }
}
