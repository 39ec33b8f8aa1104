// Days of a farm: they begin when its clocks say so.
import { formatters } from './format';

const HOUR_MS = 3_600_000;
const QUARTER_HOUR_MS = HOUR_MS / 4;
/** No clock of the world is farther from UTC. */
const FARTHEST_MS = 14 * HOUR_MS;

/** The day after a day, both as YYYY-MM-DD. */
export function nextDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

/**
 * The first instant of a day. Looked for, not computed from an offset: where clocks are put forward at midnight the day
 * begins at 1 o'clock, and where they are put back then midnight comes twice. All offsets in use are whole quarters of an hour.
 */
export function firstInstant(day: string, timeZone: string): number {
  const { isoDay } = formatters('en', timeZone);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  let before = (midnight - FARTHEST_MS) / QUARTER_HOUR_MS - 1;
  let within = (midnight + FARTHEST_MS) / QUARTER_HOUR_MS;
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (isoDay(new Date(middle * QUARTER_HOUR_MS)) < day) before = middle;
    else within = middle;
  }
  return within * QUARTER_HOUR_MS;
}
