// The day as one picture to send: heading, names of the curves, curves, and each strip under its name.
import { type Curve, type CurvePicture, dashes, type Inks, paintCurves } from './paint';
import { paintStrip } from './paint-strip';
import type { Strip } from './strips';

const WIDTH = 1080;
const MARGIN = 32;
const CURVES = 480;
const ROW = 50;
const STRIP = 18;
const LEGEND = 30;
/** More strips than this make no picture that anybody can read on a phone. */
const MOST_STRIPS = 24;

export interface Sheet {
  title: string;
  subtitle: string;
  curves: CurvePicture;
  names: readonly { curve: Curve; text: string }[];
  strips: readonly Strip[];
}

/** Draws the day as PNG. Strips in which nothing is known are left out. */
export function pngOf(sheet: Sheet, inks: Inks, font: string): Promise<Blob | null> {
  const { window } = sheet.curves;
  const strips = sheet.strips
    .filter(({ stretches }) => stretches.some(({ from, to }) => from < window.to && to >= window.from))
    .slice(0, MOST_STRIPS);
  const inner = { width: WIDTH - 2 * MARGIN, height: CURVES };
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = 130 + sheet.names.length * LEGEND + CURVES + strips.length * ROW + MARGIN;
  const to = canvas.getContext('2d');
  if (!to) return Promise.resolve(null);
  to.fillStyle = inks.surface;
  to.fillRect(0, 0, canvas.width, canvas.height);
  to.textBaseline = 'alphabetic';
  write(sheet.title, `600 30px ${font}`, inks.ink, MARGIN, 56);
  write(sheet.subtitle, `20px ${font}`, inks.soft, MARGIN, 92);
  let y = 112;
  for (const [index, { text }] of sheet.names.entries()) {
    to.strokeStyle = inks.curves[index] ?? inks.ink;
    to.lineWidth = 3;
    to.setLineDash([...(dashes[index] ?? [])]);
    to.beginPath();
    to.moveTo(MARGIN, y + LEGEND / 2);
    to.lineTo(MARGIN + 44, y + LEGEND / 2);
    to.stroke();
    to.setLineDash([]);
    write(text, `20px ${font}`, inks.ink, MARGIN + 58, y + LEGEND / 2 + 7);
    y += LEGEND;
  }
  part(y, inner.height, (into) => paintCurves(into, inner, inks, sheet.curves, font));
  y += CURVES + 8;
  for (const strip of strips) {
    write(strip.name, `18px ${font}`, inks.ink, MARGIN, y + 20);
    const box = { width: inner.width, height: STRIP };
    part(y + 27, STRIP, (into) => paintStrip(into, box, inks, strip, window));
    y += ROW;
  }
  return new Promise((done) => canvas.toBlob(done, 'image/png'));

  function write(text: string, as: string, ink: string, x: number, base: number) {
    if (!to) return;
    to.font = as;
    to.fillStyle = ink;
    to.textAlign = 'left';
    to.fillText(text, x, base);
  }
  /** The drawings clear what they draw on: each is made apart. */
  function part(top: number, height: number, draw: (into: CanvasRenderingContext2D) => void) {
    const own = document.createElement('canvas');
    own.width = inner.width;
    own.height = height;
    const into = own.getContext('2d');
    if (!into) return;
    draw(into);
    to?.drawImage(own, MARGIN, top);
  }
}
