// A list as a file for spreadsheets.
import { csvOf } from '../../ui/csv';
import type { Column, Say } from './kind';

/** The file's text, with a line of names first. */
export function csv<T>(records: readonly T[], columns: readonly Column<T>[], say: Say): string {
  const names = columns.map(({ label }) => say.t(label));
  const rows = records.map((record) =>
    columns.map(({ text, plain }) => (plain ? plain(record) : text(record, say))),
  );
  return csvOf([names, ...rows]);
}

/** Gives a file to the browser to be kept. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
