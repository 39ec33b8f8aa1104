// What stands where there is nothing yet, and the next step from there.
import type { ReactNode } from 'react';
import classes from './Empty.module.css';
import { Logo } from './Logo';

export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes['empty']}>
      <Logo size={52} />
      <p>{children}</p>
      {action}
    </div>
  );
}
