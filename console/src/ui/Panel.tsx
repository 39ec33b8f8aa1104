// A titled part of a page.
import { type ReactNode, useId } from 'react';
import classes from './Panel.module.css';

interface Props {
  title: string;
  hint?: string;
  /** Beside the title. */
  action?: ReactNode;
  tone?: 'warn';
  children?: ReactNode;
}

export function Panel({ title, hint, action, tone, children }: Props) {
  const id = useId();
  return (
    <section className={classes['panel']} aria-labelledby={id} data-tone={tone}>
      <div className={classes['head']}>
        <h2 id={id}>{title}</h2>
        {action}
      </div>
      {hint && <p className={classes['hint']}>{hint}</p>}
      {children}
    </section>
  );
}
