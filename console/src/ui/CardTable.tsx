// A table; on a phone each row becomes a card, and stays a row for those who hear it. `className` lays a card out.
import type { ComponentProps, ReactNode } from 'react';
import classes from './CardTable.module.css';

interface Props {
  columns: readonly string[];
  className?: string | undefined;
  children: ReactNode;
}

// biome-ignore-start lint/a11y/noRedundantRoles: a table drawn as cards loses its roles otherwise
export function CardTable({ columns, className, children }: Props) {
  return (
    <table className={[classes['table'], className].filter(Boolean).join(' ')} role="table">
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((name) => (
            <th key={name} role="columnheader" scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">{children}</tbody>
    </table>
  );
}

export function CardRow(props: ComponentProps<'tr'>) {
  return <tr role="row" {...props} />;
}

interface CellProps {
  /** What the cell says on a card, where no column does. */
  label?: string;
  /** A card has no lines that say nothing; those who hear the table keep its columns. */
  empty?: boolean;
  /** It names the row: a card begins with it. */
  lead?: boolean | undefined;
  /** How many columns it takes. */
  span?: number;
  className?: string | undefined;
  children: ReactNode;
}

export function CardCell({ label, empty, lead, span, className, children }: CellProps) {
  return (
    <td
      role="cell"
      colSpan={span}
      className={className}
      data-label={label}
      data-empty={empty}
      data-lead={lead}
    >
      {children}
    </td>
  );
}
// biome-ignore-end lint/a11y/noRedundantRoles: see above
