// The cells of a row, by a table of columns.
import type { TFunction } from 'i18next';
import { CardCell } from '../../ui/CardTable';
import type { Column, Say } from './kind';
import classes from './Records.module.css';

interface Props<T> {
  columns: readonly Column<T>[];
  record: T;
  say: Say;
}

const shown = <T,>(columns: readonly Column<T>[]) => columns.filter(({ fileOnly }) => !fileOnly);

/** The names above the cells. */
export function headings<T>(columns: readonly Column<T>[], t: TFunction): string[] {
  return shown(columns).map(({ label }) => t(label));
}

export function Cells<T>({ columns, record, say }: Props<T>) {
  return shown(columns).map(({ label, text, show, lead, short }) => {
    const said = text(record, say);
    return (
      <CardCell
        key={label}
        label={say.t(label)}
        empty={said === null}
        lead={lead}
        className={short && classes['short']}
      >
        {show ? show(record, say) : (said ?? say.t('records.blank'))}
      </CardCell>
    );
  });
}
