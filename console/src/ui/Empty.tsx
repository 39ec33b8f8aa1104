// What stands where there is nothing yet.
import type { ReactNode } from 'react';
import classes from './Empty.module.css';

export function Empty({ children }: { children: ReactNode }) {
  return <p className={classes['empty']}>{children}</p>;
}
