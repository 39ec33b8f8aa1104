// The time that is on screen, and what is loaded for it. A day is shown with what the api has: each chosen sensor's own history
// and each device's, which are asked for in blocks that begin at fixed instants, so that dragging within a block asks for
// nothing and two screens at neighbouring minutes ask for the same. The farther out, the longer a block and its steps.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What is on screen: from an instant up to another, in milliseconds since 1970. */
export interface Window {
  from: number;
  to: number;
}

/** From how far a mark is read: a finger's breadth of a phone. */
export const nearOf = ({ from, to }: Window): number => (to - from) * 0.012;

/** Nobody needs less than a minute, as readings come at most a few times in it; 400 days are what a server keeps. */
const SHORTEST = MINUTE;
export const LONGEST = 400 * DAY;

/** What is asked for at once: at most two blocks for a window, of at most some 2,500 points. */
interface Level {
  /** The longest window that it serves. */
  block: number;
  step: number;
  /** Whether the strips are asked for: the api has at most 92 days of a device at once. */
  strips: boolean;
}

const levels: readonly Level[] = [
  { block: 12 * HOUR, step: MINUTE, strips: true },
  { block: 4 * DAY, step: 5 * MINUTE, strips: true },
  { block: 32 * DAY, step: HOUR, strips: true },
  { block: LONGEST / 2, step: 6 * HOUR, strips: false },
  { block: LONGEST, step: 12 * HOUR, strips: false },
];
const coarsest: Level = { block: LONGEST, step: 12 * HOUR, strips: false };

export interface Load extends Window {
  step: number;
  strips: boolean;
}

/** What is to be loaded for a window: whole blocks, and so the same for every window within them. */
export function loadFor({ from, to }: Window): Load {
  const { block, step, strips } = levels.find((level) => to - from <= level.block) ?? coarsest;
  return {
    from: Math.floor(from / block) * block,
    to: Math.ceil(to / block) * block,
    step,
    strips,
  };
}

/** What of the log is loaded for a window: only so many entries are read of it, and those of other days would take their place. */
export function logFor({ from, to }: Window): Window {
  const block = 12 * HOUR;
  return { from: Math.floor(from / block) * block, to: Math.ceil(to / block) * block };
}

/** The window at another scale (2: half as long) around an instant that stays where it is. */
export function zoomed({ from, to }: Window, scale: number, around: number): Window {
  const length = Math.min(LONGEST, Math.max(SHORTEST, (to - from) / scale));
  const part = (around - from) / (to - from);
  const start = Math.round(around - part * length);
  return { from: start, to: start + Math.round(length) };
}

export function moved({ from, to }: Window, by: number): Window {
  const whole = Math.round(by);
  return { from: from + whole, to: to + whole };
}

/** The same length, moved no farther than to have an instant within it. */
export function showing(window: Window, at: number): Window {
  if (at < window.from) return moved(window, at - window.from);
  return at > window.to ? moved(window, at - window.to) : window;
}

/** The window in which two fingers hold the same instants as before, given where they are, as parts of the width. */
export function pinched(
  held: readonly [number, number],
  parts: readonly [number, number],
): Window | undefined {
  const between = parts[1] - parts[0];
  if (Math.abs(between) < 0.01) return undefined;
  const length = Math.min(LONGEST, Math.max(SHORTEST, Math.abs((held[1] - held[0]) / between)));
  const middle = (held[0] + held[1]) / 2;
  const from = Math.round(middle - ((parts[0] + parts[1]) / 2) * length);
  return { from, to: from + Math.round(length) };
}

/** The steps that a time axis may have. */
const tickSteps = [
  MINUTE / 4,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
  56 * DAY,
  112 * DAY,
];

/** The shortest step of which no more than `most` fit into the window. */
export function tickStep({ from, to }: Window, most: number): number {
  return tickSteps.find((step) => (to - from) / step <= most) ?? LONGEST;
}
