// Outages as a table for a spreadsheet (RFC 4180), a line each, marked so that Excel reads Devanagari.
import type { Outage } from './queries';

/** A cell. A text that a spreadsheet would run as a formula is made a text. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export interface CsvWords {
  heads: readonly [what: string, whose: string, from: string, until: string, seconds: string, cause: string];
  kind: (kind: Outage['kind']) => string;
  cause: (kind: Outage['consequences'][number]['kind']) => string;
  /** An instant in the farm's time. */
  local: (at: number) => string;
}

/** What goes on has no end, and as many seconds as there were up to now. */
export function csvOf(outages: readonly Outage[], words: CsvWords, now: number): string {
  const rows = outages.map(({ kind, name, from, until, consequences }) => [
    words.kind(kind),
    name ?? '',
    words.local(from),
    until === null ? '' : words.local(until),
    String(Math.round(((until ?? now) - from) / 1_000)),
    consequences.map((one) => `${words.cause(one.kind)}: ${one.entry.action}`).join('; '),
  ]);
  return `\uFEFF${[words.heads, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}
