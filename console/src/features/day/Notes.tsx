// What people noted of moments of the time that is shown.
import { useTranslation } from 'react-i18next';
import Edit from '~icon/Pencil';
import Delete from '~icon/Trash';
import { api, ifMatch } from '../../api/client';
import type { components } from '../../api/schema';
import { useFormat } from '../../i18n/format';
import { useAction } from '../../screen/useAction';
import classes from './Day.module.css';
import type { Note } from './queries';
import type { Viewer } from './view';

interface Props {
  farmId: string;
  house: components['schemas']['Polyhouse'];
  viewer: Viewer;
  /** Those that are shown, oldest first. */
  notes: readonly Note[];
  /** Opens the form of one; without it nothing may be changed. */
  onEdit?: (note: Note) => void;
}

export function Notes({ farmId, house, viewer, notes, onEdit }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const { ask } = useAction(farmId);
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
  return (
    <section className={classes['notes']} aria-label={t('day.notes.title')}>
      <h2>{t('day.notes.title')}</h2>
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
            {onEdit && (
              <>
                <button
                  type="button"
                  className={classes['round'] ?? ''}
                  aria-label={t('day.notes.edit')}
                  onClick={() => onEdit(note)}
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
    </section>
  );

  function zoneName({ zoneId }: Note) {
    return house.zones.find(({ id }) => id === zoneId)?.name;
  }
}
