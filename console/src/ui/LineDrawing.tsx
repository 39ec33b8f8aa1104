// A line with its points, without axes: what is drawn stands beside it in words, so it is hidden from those who hear the page.
import classes from './LineDrawing.module.css';

interface Props {
  /** Ascending in x; a y that is not known is a gap. */
  points: readonly { x: number; y: number | null }[];
  /** Where the line begins and ends; the points' own ends by default. */
  from?: number;
  to?: number;
  /** Marks an x, as now. */
  at?: number | undefined;
  /** Whether each point is marked. */
  marked?: boolean;
  /** Whether it is as wide as its place, so that instants stand above those of what lies below; then no point is marked. */
  stretched?: boolean;
}

const WIDTH = 320;
const HEIGHT = 96;
const MARGIN = 8;

const tenth = (length: number) => Math.round(length * 10) / 10;

export function LineDrawing({ points, from, to, at, marked = false, stretched = false }: Props) {
  const known = points.filter((point): point is { x: number; y: number } => point.y !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last) return null;
  const [left, right] = [from ?? first.x, to ?? last.x];
  const [low, high] = [Math.min(...known.map(({ y }) => y)), Math.max(...known.map(({ y }) => y))];
  const aside = stretched ? 0 : MARGIN;
  const x = (of: number) => tenth(((of - left) / (right - left || 1)) * (WIDTH - 2 * aside) + aside);
  const y = (of: number) =>
    tenth(high === low ? HEIGHT / 2 : HEIGHT - MARGIN - ((of - low) / (high - low)) * (HEIGHT - 2 * MARGIN));
  const path = points
    .map((point, nth) =>
      point.y === null
        ? ''
        : `${nth > 0 && points[nth - 1]?.y !== null ? 'L' : 'M'}${x(point.x)} ${y(point.y)}`,
    )
    .join('');
  return (
    <svg
      className={classes['drawing']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio={stretched ? 'none' : undefined}
      aria-hidden="true"
      data-drawing
    >
      {at !== undefined && <line className={classes['at']} x1={x(at)} x2={x(at)} y1={0} y2={HEIGHT} />}
      <path className={classes['line']} d={path} />
      {marked &&
        !stretched &&
        known.map((point) => (
          <circle
            key={`${point.x} ${point.y}`}
            className={classes['mark']}
            cx={x(point.x)}
            cy={y(point.y)}
            r={4}
          />
        ))}
    </svg>
  );
}
