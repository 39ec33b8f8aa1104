// Draws one strip on a canvas. Each state is told without colours too: on is filled, off a line, by hand has gaps, what is not known
// is hatched; and where there is room, each carries the icon that the page shows for the same.
import { type Mark, paintMark } from '../../ui/icons/marks';
import { type Box, hatch, type Inks } from './paint';
import type { Stretch, Strip, StripKind } from './strips';
import type { Window } from './window';

/** A stretch is never drawn narrower. */
const NARROWEST = 2;
/** Between the gaps of what was by hand, and how wide they are. */
const STEP = 7;
const GAP = 2;

/** What says of which kind a stretch that was on is. */
const iconOf: Record<StripKind, Mark> = { device: 'runs', rule: 'runs', person: 'hand', alert: 'bell' };

/** Draws a strip on a canvas that is `box` large. */
export function paintStrip(
  to: CanvasRenderingContext2D,
  { width, height }: Box,
  inks: Inks,
  { known, kind, stretches }: Pick<Strip, 'known' | 'kind' | 'stretches'>,
  window: Window,
): void {
  const across = (at: number) =>
    ((Math.min(Math.max(at, window.from), window.to) - window.from) / (window.to - window.from)) * width;
  const ground = (from: number, wide: number) => {
    to.clearRect(from, 0, wide, height);
    to.fillStyle = inks.sunken;
    to.fillRect(from, 0, wide, height);
  };
  to.clearRect(0, 0, width, height);
  hatch(to, width, height, inks.edge);
  if (known && kind !== 'device') ground(across(known.from), across(known.to) - across(known.from));
  const seen = stretches.filter((each) => each.to >= window.from && each.from <= window.to);
  for (const { from, to: until, kind: is } of seen) {
    if (is !== 'off') continue;
    const x = across(from);
    const wide = across(until) - x;
    ground(x, wide);
    to.fillStyle = inks.soft;
    to.fillRect(x, height / 2 - 1, wide, 2);
  }
  // What was on is drawn after that: a short time on is not hidden by the long one off beside it.
  const ink = { device: inks.brand, rule: inks.brand, person: inks.ink, alert: inks.bad }[kind];
  for (const stretch of seen) {
    const { from, to: until, kind: is } = stretch;
    if (is !== 'on') continue;
    const x = across(from);
    const wide = Math.max(NARROWEST, across(until) - x);
    to.clearRect(x, 0, wide, height);
    to.fillStyle = stretch.byHand ? inks.ink : ink;
    to.fillRect(x, 0, wide, height);
    if (stretch.byHand)
      for (let at = x + STEP; at < x + wide - GAP; at += STEP) to.clearRect(at, 0, GAP, height);
  }
  for (const stretch of seen) mark(stretch);

  /** Draws the icon of a stretch: of an instant where it was, else at its beginning where that has room. */
  function mark({ from, to: until, kind: is, byHand }: Stretch): void {
    const x = across(from);
    const size = height - 4;
    if (is === 'mark') {
      to.clearRect(x - height / 2, 0, height, height);
      to.fillStyle = inks.surface;
      to.fillRect(x - height / 2, 0, height, height);
      paintMark(to, kind === 'person' ? 'hand' : 'cross', x, height / 2, size, ink);
      return;
    }
    if (across(until) - x < 1.5 * height || (is === 'off' && !byHand)) return;
    if (byHand || is === 'off') {
      to.clearRect(x + 1, 0, height, height);
      to.fillStyle = inks.surface;
      to.fillRect(x + 1, 0, height, height);
    }
    const icon = byHand ? 'hand' : iconOf[kind];
    paintMark(to, icon, x + 1 + height / 2, height / 2, size, byHand ? inks.ink : inks.surface);
  }
}
