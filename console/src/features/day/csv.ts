// What is on screen as a table for a spreadsheet.
import { csvOf as fileOf } from '../../ui/csv';
import { rowsOf, type Series } from './series';
import type { Window } from './window';

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
  const head = [labels.local, labels.utc, ...all.map(({ name }) => name)];
  const lines = rowsOf(
    all.map(({ series }) => series),
    window,
  ).map(([at, values]) => [local(at), new Date(at).toISOString(), ...values]);
  return fileOf([head, ...lines]);
}
