// Outages as a table for a spreadsheet, a line each.
import { csvOf as fileOf } from '../../ui/csv';
import type { Outage } from './queries';

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
    Math.round(((until ?? now) - from) / 1_000),
    consequences.map((one) => `${words.cause(one.kind)}: ${one.entry.action}`).join('; '),
  ]);
  return fileOf([words.heads, ...rows]);
}
