// What stands where there is nothing yet.
import type { ReactNode } from 'react';
import classes from './Empty.module.css';
import { Logo } from './Logo';

interface Props {
  title?: string;
  children: ReactNode;
  /** What leads on from here. */
  action?: ReactNode;
}

export function Empty({ title, children, action }: Props) {
  return (
    <div className={classes['empty']}>
      <Logo size={52} />
      {title && <h2>{title}</h2>}
      <p>{children}</p>
      {action}
    </div>
  );
}
