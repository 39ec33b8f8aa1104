// Draws one lane on a canvas. Each state has a pattern of its own beside its colour: what is so is told without colours too.
import { knownTimes, type Lane, type LaneSpan, type LaneState, type Lanes } from './lanes';
import { type Box, hatch, type Inks } from './paint';
import type { Window } from './window';

type Role = 'brand' | 'ink' | 'soft' | 'warn' | 'bad' | 'edge';
/** full: all of it; half: its lower half; line: a line along the middle; slant: oblique lines; dots; cross: oblique lines both ways; none: only the ground. */
export type Pattern = 'full' | 'half' | 'line' | 'slant' | 'dots' | 'cross' | 'none' | 'ramp' | 'mark';

export const looks: Record<LaneState, { ink: Role; pattern: Pattern }> = {
  on: { ink: 'brand', pattern: 'full' },
  off: { ink: 'soft', pattern: 'none' },
  online: { ink: 'soft', pattern: 'line' },
  offline: { ink: 'bad', pattern: 'slant' },
  claim: { ink: 'brand', pattern: 'full' },
  rest: { ink: 'soft', pattern: 'none' },
  manual: { ink: 'ink', pattern: 'dots' },
  limit: { ink: 'warn', pattern: 'slant' },
  safety: { ink: 'warn', pattern: 'full' },
  lock: { ink: 'bad', pattern: 'cross' },
  stop: { ink: 'bad', pattern: 'full' },
  inactive: { ink: 'soft', pattern: 'dots' },
  idle: { ink: 'soft', pattern: 'none' },
  pending: { ink: 'brand', pattern: 'half' },
  running: { ink: 'brand', pattern: 'full' },
  filling: { ink: 'brand', pattern: 'ramp' },
  true: { ink: 'brand', pattern: 'full' },
  false: { ink: 'soft', pattern: 'line' },
  unknown: { ink: 'warn', pattern: 'dots' },
  free: { ink: 'brand', pattern: 'full' },
  outranked: { ink: 'ink', pattern: 'slant' },
  queued: { ink: 'soft', pattern: 'dots' },
  sent: { ink: 'ink', pattern: 'slant' },
  acked: { ink: 'brand', pattern: 'half' },
  confirmed: { ink: 'brand', pattern: 'line' },
  failed: { ink: 'bad', pattern: 'full' },
  timed_out: { ink: 'bad', pattern: 'slant' },
  superseded: { ink: 'soft', pattern: 'none' },
  raised: { ink: 'bad', pattern: 'full' },
  down: { ink: 'ink', pattern: 'cross' },
  worked: { ink: 'brand', pattern: 'line' },
  no_effect: { ink: 'bad', pattern: 'cross' },
  cannot_tell: { ink: 'soft', pattern: 'dots' },
  mark: { ink: 'ink', pattern: 'mark' },
};

/** A stretch is never drawn narrower. */
const NARROWEST = 2;
const STEP = 6;
/** The least part of a lane that a value above zero fills. */
const LOWEST = 0.15;

/** How high a span with a value is drawn, as a part of the lane: never so low that it cannot be seen; without one all of it. */
export function levelOf({ value }: LaneSpan, most: number | undefined): number {
  if (value === null || value <= 0 || most === undefined || most <= 0) return 1;
  return Math.max(LOWEST, Math.min(1, value / most));
}

/** Draws a lane on a canvas that is `box` large: what is not known is hatched. A value is as high as it is of the `most`. */
export function paintLane(
  to: CanvasRenderingContext2D,
  { width, height }: Box,
  inks: Inks,
  lane: Lane,
  lanes: Lanes,
  nights: readonly Window[],
  window: Window,
  most?: number,
): void {
  const across = (at: number) =>
    ((Math.min(Math.max(at, window.from), window.to) - window.from) / (window.to - window.from)) * width;
  const ground = (from: number, until: number) => {
    const x = across(from);
    const wide = across(until) - x;
    if (wide <= 0) return;
    to.clearRect(x, 0, wide, height);
    to.fillStyle = inks.sunken;
    to.fillRect(x, 0, wide, height);
  };
  to.clearRect(0, 0, width, height);
  hatch(to, width, height, inks.edge);
  // What is to come is neither known nor unknown.
  const now = Date.now();
  if (now < window.to) to.clearRect(across(now), 0, width, height);
  for (const known of knownTimes(lane, lanes)) ground(known.from, Math.min(known.to, now));
  const seen = lane.spans.filter((span) => span.to >= window.from && span.from <= window.to);
  for (const span of seen) ground(span.from, span.to);
  to.globalAlpha = 0.09;
  to.fillStyle = inks.ink;
  for (const night of nights)
    to.fillRect(across(night.from), 0, across(night.to) - across(night.from), height);
  to.globalAlpha = 1;
  // What only says that nothing is the matter comes first: a short time of the other is not hidden by it.
  const isPlain = ({ state }: LaneSpan) => ['none', 'line'].includes(looks[state].pattern);
  for (const span of [...seen.filter(isPlain), ...seen.filter((each) => !isPlain(each))]) {
    const x = across(span.from);
    const wide = Math.max(NARROWEST, across(span.to) - x);
    const whole = across(span.from + (span.length_ms ?? 0)) - x;
    draw(to, x, wide, height, inks, span, whole, levelOf(span, most));
  }
}

function draw(
  to: CanvasRenderingContext2D,
  x: number,
  wide: number,
  height: number,
  inks: Inks,
  span: LaneSpan,
  whole: number,
  level: number,
): void {
  const { ink, pattern } = looks[span.state];
  to.fillStyle = inks[ink];
  to.strokeStyle = inks[ink];
  to.lineWidth = 2;
  if (pattern === 'mark') {
    to.beginPath();
    to.arc(x, height / 2, Math.min(5, height / 2 - 1), 0, 2 * Math.PI);
    to.fill();
    return;
  }
  to.save();
  to.beginPath();
  to.rect(x, 0, wide, height);
  to.clip();
  if (pattern === 'full') to.fillRect(x, height * (1 - level), wide, height * level);
  else if (pattern === 'half') to.fillRect(x, height / 2, wide, height / 2);
  else if (pattern === 'line') to.fillRect(x, height / 2 - 1, wide, 2);
  else if (pattern === 'dots') {
    for (let at = x - (x % STEP) + STEP / 2; at < x + wide + STEP; at += STEP) {
      to.beginPath();
      to.arc(at, height / 2, 1.8, 0, 2 * Math.PI);
      to.fill();
    }
    if (wide < STEP) to.fillRect(x, 0, wide, height);
  } else if (pattern === 'slant' || pattern === 'cross') {
    to.beginPath();
    for (let at = x - (x % STEP) - height; at < x + wide; at += STEP) {
      to.moveTo(at, height);
      to.lineTo(at + height, 0);
      if (pattern === 'cross') {
        to.moveTo(at, 0);
        to.lineTo(at + height, height);
      }
    }
    to.stroke();
    if (wide < STEP) to.fillRect(x, 0, wide, height);
  } else if (pattern === 'ramp') {
    // As full as the hold was: up to the top where it was long enough.
    const part = whole > 0 ? Math.min(1, wide / whole) : 1;
    to.beginPath();
    to.moveTo(x, height);
    to.lineTo(x + wide, height);
    to.lineTo(x + wide, height * (1 - part));
    to.fill();
  }
  to.restore();
}
