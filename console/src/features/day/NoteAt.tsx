// What somebody noted of the minute that is read, beside its flag.
import classes from './Day.module.css';
import type { Note } from './queries';
import { useOfView } from './Reading';
import type { View, Viewer } from './view';
import { nearOf } from './window';

/** The note that is read at an instant: the nearest of those that are near enough. */
export function noteNear(notes: readonly Note[], { at, window }: View): Note | undefined {
  const far = (note: Note) => Math.abs(note.at - at);
  let nearest: Note | undefined;
  for (const note of notes)
    if (far(note) <= nearOf(window) && (!nearest || far(note) < far(nearest))) nearest = note;
  return nearest;
}

export function NoteAt({ viewer, notes }: { viewer: Viewer; notes: readonly Note[] }) {
  const note = useOfView(viewer, (view) => noteNear(notes, view));
  const part = useOfView(viewer, ({ window }) =>
    note ? (note.at - window.from) / (window.to - window.from) : 0,
  );
  if (!note) return null;
  // On the side where there is more room. Who listens is told with the minute.
  const isBefore = part > 0.5;
  const style = isBefore
    ? { insetInlineStart: 0, insetInlineEnd: `calc(${(1 - part) * 100}% + 0.5rem)` }
    : { insetInlineStart: `calc(${part * 100}% + 1.25rem)`, insetInlineEnd: 0 };
  return (
    <div className={classes['noteAt']} data-side={isBefore ? 'before' : 'after'} style={style} aria-hidden>
      <p>{note.text}</p>
    </div>
  );
}
