// The numbers of a wheel.

interface Grid {
  min: number;
  max: number;
  step: number;
}

/** What was typed, in Latin or Devanagari digits; NaN where it is no number. */
export function numberTyped(text: string): number {
  const latin = text
    .replaceAll(/[०-९]/gu, (digit) => String((digit.codePointAt(0) ?? 0) - 0x0966))
    .replaceAll(',', '')
    .trim();
  return latin === '' ? Number.NaN : Number(latin);
}

/** Between the limits, without the dust of binary fractions. */
const inside = (value: number, { min, max }: Grid) =>
  Math.round(Math.min(max, Math.max(min, value)) * 1_000) / 1_000;

/** The step of the wheel that is nearest. */
export const nearest = (value: number, grid: Grid) => inside(Math.round(value / grid.step) * grid.step, grid);

/** So many steps on: up from 35.3 by halves is 35.5. */
export function stepped(from: number, by: number, grid: Grid): number {
  if (by === 0) return inside(from, grid);
  const at = from / grid.step;
  const base = by > 0 ? Math.floor(at + 1e-9) : Math.ceil(at - 1e-9);
  return inside((base + by) * grid.step, grid);
}
