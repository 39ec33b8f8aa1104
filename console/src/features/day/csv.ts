// What is on screen as a table for a spreadsheet.
import { type Series, within } from './series';
import type { Window } from './window';

/** A cell as RFC 4180 has it. A text that a spreadsheet would run as a formula is made a text. */
export function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/**
 * A line for each step in which any sensor has a reading, with its time in the farm's zone and as UTC, and a column for each
 * sensor: its mean. A reading that is missing is an empty cell, never a zero.
 */
export function csvOf(
  all: readonly { series: Series; name: string }[],
  window: Window,
  labels: { local: string; utc: string },
  local: (at: number) => string,
): string {
  const rows = new Map<number, (number | null)[]>();
  for (const [index, { series }] of all.entries())
    for (const { at, mean: value } of within(series, window)) {
      if (at < window.from || at >= window.to) continue;
      const row = rows.get(at) ?? all.map(() => null);
      row[index] = value;
      rows.set(at, row);
    }
  const head = [labels.local, labels.utc, ...all.map(({ name }) => name)].map(cell);
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([at, values]) => [
      cell(local(at)),
      new Date(at).toISOString(),
      ...values.map((value) => value?.toString() ?? ''),
    ]);
  // Excel takes a file for UTF-8 only with a mark at its beginning.
  return `\ufeff${[head, ...lines].map((line) => line.join(',')).join('\r\n')}\r\n`;
}
