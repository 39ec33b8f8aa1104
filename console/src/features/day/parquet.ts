// What is on screen as a table for programs that calculate: Parquet, in which columns have types. It loads when it is asked for.
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { rowsOf, type Series } from './series';
import type { Window } from './window';

type SchemaElement = NonNullable<Parameters<typeof parquetWriteBuffer>[0]['schema']>[number];
type Column = SchemaElement & Pick<ColumnSource, 'data'>;

/** The rows and columns of the table for a spreadsheet (csv.ts); a reading that is missing is null. */
export function parquetOf(
  all: readonly { series: Series; name: string }[],
  window: Window,
  labels: { local: string; utc: string },
  local: (at: number) => string,
): ArrayBuffer {
  const rows = rowsOf(
    all.map(({ series }) => series),
    window,
  );
  const names = distinct([labels.local, labels.utc, ...all.map(({ name }) => name)]);
  const columns = [
    text(rows.map(([at]) => local(at))),
    instant(rows.map(([at]) => new Date(at))),
    ...all.map((_, index) => double(rows.map(([, means]) => means[index] ?? null))),
  ].map((column, index) => ({ ...column, name: names[index] ?? '' }));
  return parquetWriteBuffer({
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ data: _, ...element }) => element),
    ],
    columnData: columns.map(({ name, data }) => ({ name, data })),
    createdBy: 'Harit',
  });
}

const text = (data: string[]): Omit<Column, 'name'> => ({
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
  repetition_type: 'REQUIRED',
  data,
});

const instant = (data: Date[]): Omit<Column, 'name'> => ({
  type: 'INT64',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  repetition_type: 'REQUIRED',
  data,
});

const double = (data: (number | null)[]): Omit<Column, 'name'> => ({
  type: 'DOUBLE',
  repetition_type: 'OPTIONAL',
  data,
});

/** Names as columns can have them: what has a name that is taken has a number behind it. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set(names);
  return names.map((name, index) => {
    if (names.indexOf(name) === index) return name;
    let nth = 2;
    while (taken.has(`${name} (${nth})`)) nth += 1;
    taken.add(`${name} (${nth})`);
    return `${name} (${nth})`;
  });
}
