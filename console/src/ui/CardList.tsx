// A list of cards, as many in a row as fit.
import type { ReactNode } from 'react';
import classes from './CardList.module.css';

interface Props {
  children: ReactNode;
  /** A few large cards, which grow to fill the width. */
  wide?: boolean;
}

export function CardList({ children, wide }: Props) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise
    <ul role="list" className={classes['cards']} data-wide={wide}>
      {children}
    </ul>
  );
}
