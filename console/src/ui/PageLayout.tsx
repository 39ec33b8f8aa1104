// The frame of a page: its title, a line about all of it, and what can be done there.
import type { ReactNode } from 'react';
import classes from './PageLayout.module.css';

interface Props {
  title: string;
  /** Below the title. */
  about?: ReactNode;
  actions?: ReactNode;
  busy?: boolean;
  children: ReactNode;
}

export function PageLayout({ title, about, actions, busy = false, children }: Props) {
  return (
    <div className={classes['page']} aria-busy={busy}>
      <header className={classes['head']}>
        <div>
          <h1>{title}</h1>
          {about && <p>{about}</p>}
        </div>
        {actions && <div className={classes['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
