// A text as a QR code: dark on white in any scheme, with the quiet margin that scanners need.
import { encode } from 'uqr';
import classes from './QrCode.module.css';

const MARGIN = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: MARGIN });
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className={classes['code']} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path className={classes['light']} d={`M0 0h${size}v${size}h-${size}z`} />
      <path className={classes['dark']} d={dark.join('')} shapeRendering="crispEdges" />
    </svg>
  );
}
