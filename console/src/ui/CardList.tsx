// A list of cards, as many in a row as fit.
import type { ReactNode } from 'react';
import classes from './CardList.module.css';

export function CardList({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise
    <ul role="list" className={classes['cards']}>
      {children}
    </ul>
  );
}
