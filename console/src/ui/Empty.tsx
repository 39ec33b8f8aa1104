// What stands where there is nothing yet.
import type { ReactNode } from 'react';
import classes from './Empty.module.css';
import { Logo } from './Logo';

export function Empty({ children }: { children: ReactNode }) {
  return (
    <div className={classes['empty']}>
      <Logo size={52} />
      <p>{children}</p>
    </div>
  );
}
