// A list as a file for spreadsheets: comma-separated values (RFC 4180) in UTF-8, marked so that Excel reads Devanagari.
import type { Column, Say } from './kind';

/** Before what a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The file's text, with a line of names first. */
export function csv<T>(records: readonly T[], columns: readonly Column<T>[], say: Say): string {
  const names = columns.map(({ label }) => cell(say.t(label)));
  const rows = records.map((record) =>
    columns.map(({ text, plain }) => cell(plain ? plain(record) : text(record, say))),
  );
  return `\uFEFF${[names, ...rows].map((row) => row.join(',')).join('\r\n')}\r\n`;
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
