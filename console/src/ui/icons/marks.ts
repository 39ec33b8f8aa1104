// Icons as the outlines that a canvas can draw: those of the installed family (PlayerPlay, HandStop, Bell and X of Tabler, in a
// square of 24), which the page shows for the same.

export const marks = {
  runs: ['M7 4v16l13 -8l-13 -8'],
  hand: [
    'M8 13v-7.5a1.5 1.5 0 0 1 3 0v6.5',
    'M11 5.5v-2a1.5 1.5 0 1 1 3 0v8.5',
    'M14 5.5a1.5 1.5 0 0 1 3 0v6.5',
    'M17 7.5a1.5 1.5 0 0 1 3 0v8.5a6 6 0 0 1 -6 6h-2h.208a6 6 0 0 1 -5.012 -2.7a69.74 69.74 0 0 1 -.196 -.3c-.312 -.479 -1.407 -2.388 -3.286 -5.728a1.5 1.5 0 0 1 .536 -2.022a1.867 1.867 0 0 1 2.28 .28l1.47 1.47',
  ],
  bell: [
    'M10 5a2 2 0 1 1 4 0a7 7 0 0 1 4 6v3a4 4 0 0 0 2 3h-16a4 4 0 0 0 2 -3v-3a7 7 0 0 1 4 -6',
    'M9 17v1a3 3 0 0 0 6 0v-1',
  ],
  cross: ['M18 6l-12 12', 'M6 6l12 12'],
} as const;

export type Mark = keyof typeof marks;

const SQUARE = 24;

/** Draws a mark around a point, `size` high. */
export function paintMark(
  to: CanvasRenderingContext2D,
  mark: Mark,
  x: number,
  y: number,
  size: number,
  ink: string,
): void {
  to.save();
  to.translate(x - size / 2, y - size / 2);
  to.scale(size / SQUARE, size / SQUARE);
  to.strokeStyle = ink;
  to.lineWidth = 2.5;
  to.lineCap = 'round';
  to.lineJoin = 'round';
  for (const line of marks[mark]) to.stroke(new Path2D(line));
  to.restore();
}
