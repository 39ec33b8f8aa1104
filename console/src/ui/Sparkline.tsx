// A small line without axes: how a value went. Where steps are missing the line has a gap. What it says stands beside it in
// words, so it is hidden from those who hear the page.
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
  /** The colour of the line. */
  ink: string;
}

const WIDTH = 240;
const HEIGHT = 40;
const MARGIN = 3;
/** The least that the height stands for, so that noise is no mountain. */
const LEAST = 4;

const tenth = (length: number) => Math.round(length * 10) / 10;

/** The line as an SVG path: a new part after each gap. */
export function sparkPath({ points, from, to, gap }: Omit<Props, 'ink'>): string {
  const values = points.map(({ value }) => value);
  const middle = (Math.max(...values) + Math.min(...values)) / 2;
  const half = Math.max(Math.max(...values) - middle, LEAST / 2);
  return points
    .map(({ at, value }, index) => {
      const before = points[index - 1];
      const x = ((at - from) / (to - from)) * WIDTH;
      const y = HEIGHT / 2 - ((value - middle) / half) * (HEIGHT / 2 - MARGIN);
      return `${before && at - before.at <= gap ? 'L' : 'M'}${tenth(x)} ${tenth(y)}`;
    })
    .join('');
}

export function Sparkline(props: Props) {
  return (
    <svg
      className={classes['line']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={sparkPath(props)} stroke={props.ink} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
