// What is asked for only when somebody opens it.
import { type ReactNode, useState } from 'react';
import classes from './Explained.module.css';

export function Unfolding({ title, children }: { title: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={classes['unfolding']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children}
    </details>
  );
}
