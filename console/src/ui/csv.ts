// A table as a file for spreadsheets: comma-separated values (RFC 4180) in UTF-8, marked so that Excel reads Devanagari.

export type Cell = string | number | null;

/** Before what a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A cell; what is null is empty, and a text that a spreadsheet would run as a formula is made a text. */
function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The file's text. */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return `\uFEFF${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}
