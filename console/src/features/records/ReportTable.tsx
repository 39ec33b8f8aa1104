// A part of the report: its rows, what they come to, and the rows as a file. Nothing where there are no rows.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Download from '~icon/Download';
import { useFormat } from '../../i18n/format';
import { CardRow, CardTable } from '../../ui/CardTable';
import { Cells, headings } from './Cells';
import { csv, download } from './csv';
import type { Column } from './kind';
import classes from './Records.module.css';

interface Props<T> {
  /** Of the file, and in the page. */
  name: string;
  title: string;
  hint: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  idOf: (row: T) => string;
  total?: T;
}

export function ReportTable<T>({ name, title, hint, columns, rows, idOf, total }: Props<T>) {
  const { t } = useTranslation();
  const say = { t, format: useFormat() };
  if (rows.length === 0) return null;
  return (
    <section className={classes['part']} aria-labelledby={name}>
      <header className={classes['head']}>
        <h2 id={name}>{title}</h2>
        <Button
          variant="default"
          leftSection={<Download size={20} aria-hidden />}
          aria-label={t('report.exportOf', { title })}
          onClick={() => download(`${name}.csv`, csv(rows, columns, say))}
        >
          {t('records.export')}
        </Button>
      </header>
      <p className={classes['hint']}>{hint}</p>
      <CardTable columns={headings(columns, t)}>
        {rows.map((row) => (
          <CardRow key={idOf(row)} data-record={idOf(row)}>
            <Cells columns={columns} record={row} say={say} />
          </CardRow>
        ))}
        {total && rows.length > 1 && (
          <CardRow className={classes['sum']}>
            <Cells columns={columns} record={total} say={say} />
          </CardRow>
        )}
      </CardTable>
    </section>
  );
}
