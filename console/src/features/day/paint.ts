// Draws curves and strips on a canvas: the only place that knows pixels. Colours are handed in, by role.
import { niceScale, type Scale } from '../../ui/chart-scale';
import { columns, extent, type Series } from './series';
import type { Window } from './window';

/** The roles' colours of the scheme that is on. */
export interface Inks {
  line: string;
  edge: string;
  soft: string;
  ink: string;
  surface: string;
  sunken: string;
  brand: string;
  warn: string;
  bad: string;
  /** One a curve. */
  curves: readonly string[];
}

/** How the curves differ for who sees no colours. */
export const dashes: readonly (readonly number[])[] = [[], [9, 4], [2, 3], [9, 3, 2, 3], [14, 5], [5, 5]];
export const MOST_CURVES = dashes.length;

/** A curve, with what it is compared with. */
export interface Curve {
  series: Series;
  /** The same earlier, already moved below this one. */
  ghost: Series | undefined;
  /** Curves of one quantity share a scale. */
  scale: string;
}

/** What a quantity should be. */
export interface Target {
  /** Which crop wants it. */
  crop: string;
  scale: string;
  low: number;
  high: number;
}

/** A value at which a rule starts or an alert is raised. */
export interface Limit {
  scale: string;
  value: number;
  kind: 'rule' | 'alert';
}

/** A setpoint over the day that is known of it. */
export interface Course {
  name: string;
  scale: string;
  /** Ascending; where it is not known the line has a gap. */
  corners: readonly { at: number; value: number | null }[];
}

export interface CurvePicture {
  window: Window;
  curves: readonly Curve[];
  targets: readonly Target[];
  limits: readonly Limit[];
  courses: readonly Course[];
  /** When it was night. */
  nights: readonly Window[];
  /** The moments that have a note. */
  notes: readonly number[];
  now: number;
  /** Instants that the time axis names. */
  ticks: readonly { at: number; text: string }[];
  number: (value: number) => string;
}

export interface Box {
  width: number;
  height: number;
}

const FONT_PX = 13;
const AXIS_BELOW = 24;
const ABOVE = 10;

/** The scales of a picture, one a quantity, in the order of the curves. */
export function scalesOf({ curves, targets, courses, window }: CurvePicture): Map<string, Scale> {
  const scales = new Map<string, Scale>();
  for (const { scale } of curves) {
    if (scales.has(scale)) continue;
    const same = curves.filter((curve) => curve.scale === scale);
    const seen = extent(
      same.flatMap(({ series, ghost }) => (ghost ? [series, ghost] : [series])),
      window,
    );
    const wanted = targets.filter((target) => target.scale === scale);
    const values = [
      ...(seen ? [seen.low, seen.high] : []),
      ...wanted.flatMap(({ low, high }) => [low, high]),
      ...courses
        .filter((course) => course.scale === scale)
        .flatMap(({ corners }) => corners.filter(({ at }) => at >= window.from && at <= window.to))
        .flatMap(({ value }) => value ?? []),
    ];
    if (values.length > 0) scales.set(scale, niceScale(values));
  }
  return scales;
}

/** Draws the curves on a canvas that is `box` large. */
export function paintCurves(
  to: CanvasRenderingContext2D,
  box: Box,
  inks: Inks,
  picture: CurvePicture,
  font: string,
): void {
  const { window, curves, targets, limits, courses, nights, notes, ticks, number, now } = picture;
  const { width, height } = box;
  const foot = height - AXIS_BELOW;
  const across = (at: number) => ((at - window.from) / (window.to - window.from)) * width;
  const scales = scalesOf(picture);
  const upTo = (scale: Scale) => (value: number) =>
    foot - ((value - scale.low) / (scale.high - scale.low)) * (foot - ABOVE);
  const inkOf = (scale: string) =>
    inks.curves[curves.findIndex((curve) => curve.scale === scale)] ?? inks.soft;

  to.clearRect(0, 0, width, height);
  to.font = `${FONT_PX}px ${font}`;
  to.textBaseline = 'middle';

  // Below everything: a band must stay to be seen on it.
  to.globalAlpha = 0.09;
  to.fillStyle = inks.ink;
  for (const night of nights) {
    const x = Math.max(0, across(night.from));
    const end = Math.min(width, across(night.to));
    if (end > x) to.fillRect(x, 0, end - x, foot);
  }
  to.globalAlpha = 1;

  for (const { scale, low, high } of targets) {
    const of = scales.get(scale);
    if (!of) continue;
    to.globalAlpha = 0.13;
    to.fillStyle = inkOf(scale);
    to.fillRect(0, upTo(of)(high), width, upTo(of)(low) - upTo(of)(high));
    to.globalAlpha = 1;
  }

  // What is to come is not measured yet.
  if (now < window.to) {
    to.globalAlpha = 0.5;
    to.fillStyle = inks.sunken;
    to.fillRect(Math.max(0, across(now)), 0, width, foot);
    to.globalAlpha = 1;
  }

  const [first, second] = [...scales.values()];
  to.lineWidth = 1;
  to.strokeStyle = inks.line;
  for (const value of first?.ticks ?? []) line(to, 0, upTo(first as Scale)(value), width);
  to.strokeStyle = inks.edge;
  line(to, 0, foot, width);
  to.textAlign = 'center';
  to.fillStyle = inks.soft;
  for (const { at, text } of ticks) {
    const x = across(at);
    const half = to.measureText(text).width / 2;
    to.fillRect(x, foot, 1, 5);
    if (x - half >= 0 && x + half <= width) to.fillText(text, x, foot + AXIS_BELOW / 2 + 2);
  }

  to.save();
  to.beginPath();
  to.rect(0, 0, width, foot);
  to.clip();
  for (const { scale, value, kind } of limits) {
    const of = scales.get(scale);
    if (!of) continue;
    to.strokeStyle = kind === 'alert' ? inks.bad : inks.warn;
    to.setLineDash(kind === 'alert' ? [2, 4] : [8, 5]);
    to.lineWidth = 1.5;
    line(to, 0, upTo(of)(value), width);
  }
  to.setLineDash([]);
  for (const { scale, corners } of courses) {
    const of = scales.get(scale);
    if (!of) continue;
    to.strokeStyle = inkOf(scale);
    to.globalAlpha = 0.45;
    to.lineWidth = 5;
    to.beginPath();
    for (const [nth, { at, value }] of corners.entries()) {
      if (value === null) continue;
      const before = corners[nth - 1]?.value ?? null;
      if (before === null) to.moveTo(across(at), upTo(of)(value));
      else to.lineTo(across(at), upTo(of)(value));
    }
    to.stroke();
    to.globalAlpha = 1;
  }
  for (const [index, { series, ghost, scale }] of curves.entries()) {
    const of = scales.get(scale);
    const ink = inks.curves[index];
    if (!of || !ink) continue;
    if (ghost) curve(to, ghost, window, width, upTo(of), ink, [1, 3], 0.55);
    curve(to, series, window, width, upTo(of), ink, dashes[index] ?? [], 1);
  }
  for (const at of notes) flag(to, across(at), foot, inks.brand);
  to.restore();

  axis(first, 'left');
  axis(second, 'right');

  /** The numbers of a scale at one side, in the ink of its curves. */
  function axis(scale: Scale | undefined, side: 'left' | 'right') {
    if (!scale) return;
    const name = [...scales].find(([, each]) => each === scale)?.[0] ?? '';
    to.textAlign = side;
    to.fillStyle = inkOf(name);
    to.strokeStyle = inks.surface;
    to.lineWidth = 4;
    to.lineJoin = 'round';
    for (const value of scale.ticks) {
      const y = Math.min(foot - FONT_PX / 2, Math.max(FONT_PX / 2, upTo(scale)(value) - FONT_PX * 0.7));
      const x = side === 'left' ? 4 : width - 4;
      to.strokeText(number(value), x, y);
      to.fillText(number(value), x, y);
    }
  }
}

function line(to: CanvasRenderingContext2D, x: number, y: number, until: number): void {
  to.beginPath();
  to.moveTo(x, Math.round(y) + 0.5);
  to.lineTo(until, Math.round(y) + 0.5);
  to.stroke();
}

/** The mark of a note: a flag at the top, and a thin line down. */
function flag(to: CanvasRenderingContext2D, x: number, foot: number, ink: string): void {
  to.fillStyle = ink;
  to.globalAlpha = 0.6;
  to.fillRect(Math.round(x), 0, 1, foot);
  to.globalAlpha = 1;
  to.beginPath();
  to.moveTo(x, 0);
  to.lineTo(x + 11, 5);
  to.lineTo(x, 10);
  to.fill();
}

/** A line through the means above a cloud from the lowest to the highest; what stands alone is a dot. */
function curve(
  to: CanvasRenderingContext2D,
  series: Series,
  window: Window,
  width: number,
  up: (value: number) => number,
  ink: string,
  dash: readonly number[],
  strength: number,
): void {
  const all = columns(series, window, width);
  to.fillStyle = ink;
  to.strokeStyle = ink;
  to.globalAlpha = 0.14 * strength;
  for (let start = 0; start < all.length; ) {
    let end = start + 1;
    while (all[end]?.joined) end += 1;
    const run = all.slice(start, end);
    to.beginPath();
    for (const { x, max } of run) to.lineTo(x, up(max));
    for (const { x, min } of run.reverse()) to.lineTo(x, up(min));
    to.fill();
    start = end;
  }
  to.globalAlpha = strength;
  to.lineWidth = 2;
  to.lineJoin = 'round';
  to.setLineDash([...dash]);
  to.beginPath();
  for (const [index, { x, first, last, joined }] of all.entries()) {
    if (joined) to.lineTo(x, up(first));
    else to.moveTo(x, up(first));
    if (last !== first) to.lineTo(x, up(last));
    if (!joined && !all[index + 1]?.joined) {
      to.fillRect(x - 1.5, up(first) - 1.5, 3, 3);
      to.moveTo(x, up(last));
    }
  }
  to.stroke();
  to.setLineDash([]);
  to.globalAlpha = 1;
}

/** Oblique lines: nothing is known. */
export function hatch(to: CanvasRenderingContext2D, width: number, height: number, ink: string): void {
  to.strokeStyle = ink;
  to.globalAlpha = 0.45;
  to.lineWidth = 1;
  to.beginPath();
  for (let x = -height; x < width; x += 7) {
    to.moveTo(x, height);
    to.lineTo(x + height, 0);
  }
  to.stroke();
  to.globalAlpha = 1;
}
