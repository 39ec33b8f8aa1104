// @vitest-environment node
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { expect, it } from 'vitest';
import { csvOf } from './csv';
import { parquetOf } from './parquet';
import type { Series } from './series';

const MINUTE = 60_000;
const START = Date.parse('2026-11-21T18:30:00Z');
const LABELS = { local: 'समय', utc: 'समय (UTC)' };
const local = (at: number) => `मिनट ${(at - START) / MINUTE}`;
const series = (...means: (number | null | undefined)[]): Series => ({
  id: 's',
  points: means.flatMap((mean, minute) =>
    mean === undefined ? [] : [{ at: START + minute * MINUTE, mean, min: mean, max: mean }],
  ),
  stepMs: MINUTE,
});

type Table = readonly { series: Series; name: string }[];

/** What both files are made of, for so many minutes. */
const given = (all: Table, minutes: number): Parameters<typeof csvOf> => [
  all,
  { from: START, to: START + minutes * MINUTE },
  LABELS,
  local,
];

/** The rows of the table for a spreadsheet, as the other must have them. No cell has a comma. */
function csvRows(all: Table, minutes: number) {
  const [head = '', ...lines] = csvOf(...given(all, minutes))
    .slice(1)
    .trimEnd()
    .split('\r\n');
  const names = head.split(',');
  return lines.map((line) =>
    Object.fromEntries(
      line
        .split(',')
        .map((cell, nth) => [
          names[nth],
          nth === 0 ? cell : nth === 1 ? new Date(cell) : cell === '' ? null : Number(cell),
        ]),
    ),
  );
}

const read = (file: ArrayBuffer) => parquetReadObjects({ file });
const columnsOf = (file: ArrayBuffer) =>
  parquetSchema(parquetMetadata(file)).children.map(({ element }) => element);

it('has the rows of the table for a spreadsheet, and a gap is null', async () => {
  const all = [
    { series: series(20, 21.5, undefined, -0.1, 7), name: 'तापमान · उत्तर' },
    { series: series(undefined, 60, undefined, null, 8), name: 'आर्द्रता. ळ' },
    { series: series(), name: '=CO₂' },
  ];
  const file = parquetOf(...given(all, 4));
  const rows = await read(file);
  expect(rows).toEqual([
    { समय: 'मिनट 0', 'समय (UTC)': new Date(START), 'तापमान · उत्तर': 20, 'आर्द्रता. ळ': null, '=CO₂': null },
    {
      समय: 'मिनट 1',
      'समय (UTC)': new Date(START + MINUTE),
      'तापमान · उत्तर': 21.5,
      'आर्द्रता. ळ': 60,
      '=CO₂': null,
    },
    {
      समय: 'मिनट 3',
      'समय (UTC)': new Date(START + 3 * MINUTE),
      'तापमान · उत्तर': -0.1,
      'आर्द्रता. ळ': null,
      '=CO₂': null,
    },
  ]);
  const named = all.slice(0, 2);
  expect(await read(parquetOf(...given(named, 4)))).toEqual(csvRows(named, 4));
});

it('says of each column what it is, also where there is no row', async () => {
  const all = [{ series: series(), name: 'तापमान' }];
  const file = parquetOf(...given(all, 4));
  expect(await read(file)).toEqual(csvRows(all, 4));
  expect(await read(file)).toEqual([]);
  expect(columnsOf(file)).toMatchObject([
    { name: 'समय', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
    {
      name: 'समय (UTC)',
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      repetition_type: 'REQUIRED',
    },
    { name: 'तापमान', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  ]);
});

it('has every row of a long past, to the last digit', async () => {
  const means = (seed: number) =>
    Array.from({ length: 10_000 }, (_, minute) =>
      minute % 7 === seed ? undefined : Math.sin(minute * seed) * 100,
    );
  const all = [
    { series: series(...means(1)), name: 'तापमान' },
    { series: series(...means(2)), name: 'आर्द्रता' },
    { series: series(...Array.from({ length: 10_000 }, (_, minute) => minute % 3)), name: 'पाऊस' },
  ];
  const rows = await read(parquetOf(...given(all, 10_000)));
  expect(rows).toHaveLength(10_000);
  expect(rows).toEqual(csvRows(all, 10_000));
});

it('gives no two columns one name', () => {
  const named = (...names: string[]) => names.map((name) => ({ series: series(1), name }));
  const file = parquetOf(...given(named('Air', 'Air', 'Air (2)', 'Air', 'समय'), 1));
  expect(columnsOf(file).map(({ name }) => name)).toEqual([
    'समय',
    'समय (UTC)',
    'Air',
    'Air (3)',
    'Air (2)',
    'Air (4)',
    'समय (2)',
  ]);
});
