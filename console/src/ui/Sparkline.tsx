// A small line without axes: how a value went. Where steps are missing the line has a gap.
import classes from './Sparkline.module.css';

export interface SparkPoint {
  at: number;
  value: number;
}

interface Props {
  points: readonly SparkPoint[];
  from: number;
  to: number;
  /** Two points that are farther apart have a gap between them, in milliseconds. */
  gap: number;
  /** What the line shows, for those who hear the page. */
  label: string;
}

const WIDTH = 240;
const HEIGHT = 40;
const MARGIN = 3;
/** The least that the height stands for, so that noise is no mountain. */
const LEAST = 4;

/** The line as an SVG path: a new part after each gap. */
export function sparkPath({ points, from, to, gap }: Omit<Props, 'label'>): string {
  const values = points.map(({ value }) => value);
  const middle = (Math.max(...values) + Math.min(...values)) / 2;
  const half = Math.max(Math.max(...values) - middle, LEAST / 2);
  return points
    .map(({ at, value }, index) => {
      const before = points[index - 1];
      const x = ((at - from) / (to - from)) * WIDTH;
      const y = HEIGHT / 2 - ((value - middle) / half) * (HEIGHT / 2 - MARGIN);
      return `${before && at - before.at <= gap ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}

export function Sparkline({ label, ...line }: Props) {
  return (
    <svg
      className={classes['line']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={sparkPath(line)} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
