// The drawing of a chart, and the only importer of recharts: its own chunk, loaded by Chart.tsx.
import { useMemo, useState } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  usePlotArea,
  useXAxisScale,
  useYAxisScale,
  XAxis,
  YAxis,
} from 'recharts';
import classes from './Chart.module.css';
import { apart, type ChartPoint, type ChartRow, niceScale, withGaps } from './chart-scale';

interface Threshold {
  value: number;
  label: string;
  /** Drawn as less than the others. */
  faint: boolean;
}

export interface ChartProps {
  points: readonly ChartPoint[];
  stepMs: number;
  from: number;
  to: number;
  thresholds: readonly Threshold[];
  /** Instants that the time axis names. */
  timeTicks: readonly number[];
  /** The colour of the line. */
  ink: string;
  valueText: (value: number) => string;
  /** A value on the axis, without its unit. */
  tickText: (value: number) => string;
  /** A time on the axis. */
  timeTickText: (at: number) => string;
  timeText: (at: number) => string;
  labels: {
    /** The chart in a sentence. */
    summary: string;
    time: string;
    mean: string;
    min: string;
    max: string;
    table: string;
    none: string;
  };
  /** What the table shows: fewer points than are drawn. */
  rows: readonly ChartPoint[];
  /** Is told the instant that was tapped. */
  onPick?: (at: number) => void;
}

const axis = { fill: 'var(--h-soft)', fontSize: 13 };

export default function ChartDrawing(props: ChartProps) {
  const { points, stepMs, from, to, thresholds, timeTicks, ink, tickText, timeTickText, onPick } = props;
  const [width, setWidth] = useState(0);
  const names = useMemo(() => namesOf(thresholds, width, tickText), [thresholds, width, tickText]);
  const rows = useMemo(() => withGaps(points, stepMs), [points, stepMs]);
  const scale = useMemo(
    () =>
      niceScale([
        ...points.flatMap(({ min, max }) => [min, max]).filter((value) => value !== null),
        ...thresholds.map(({ value }) => value),
      ]),
    [points, thresholds],
  );
  return (
    <ResponsiveContainer width="100%" height="100%" onResize={setWidth}>
      <ComposedChart
        data={rows}
        accessibilityLayer={false}
        margin={{ top: 12, right: roomFor(names), bottom: 0, left: 0 }}
        onClick={({ activeLabel }) => {
          const at = Number(activeLabel);
          if (activeLabel !== undefined && Number.isFinite(at)) onPick?.(at);
        }}
      >
        <CartesianGrid stroke="var(--h-line)" vertical={false} />
        <XAxis
          dataKey="at"
          type="number"
          scale="time"
          domain={[from, to]}
          ticks={[...timeTicks]}
          tickFormatter={timeTickText}
          tick={axis}
          tickLine={{ stroke: 'var(--h-edge)' }}
          axisLine={{ stroke: 'var(--h-edge)' }}
          allowDataOverflow
        />
        <YAxis
          type="number"
          domain={[scale.low, scale.high]}
          ticks={scale.ticks}
          tickFormatter={tickText}
          tick={axis}
          tickLine={false}
          axisLine={false}
          width="auto"
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: 'var(--h-edge)' }}
          content={({ active, payload }) => (
            <Hint row={active ? (payload?.[0]?.payload as ChartRow | undefined) : undefined} {...props} />
          )}
        />
        <Area
          dataKey="band"
          stroke="none"
          fill={ink}
          fillOpacity={0.18}
          connectNulls={false}
          isAnimationActive={false}
          activeDot={false}
        />
        {thresholds.map(({ value, label, faint }) => (
          <ReferenceLine
            key={`${label} ${faint}`}
            y={value}
            stroke={strokeOf(faint)}
            strokeWidth={1.5}
            strokeDasharray={faint ? '2 4' : '8 5'}
          />
        ))}
        <Names names={names} />
        <Line
          dataKey="mean"
          stroke={ink}
          strokeWidth={2}
          connectNulls={false}
          isAnimationActive={false}
          dot={false}
          activeDot={{ r: 4, fill: ink, stroke: 'var(--h-surface)' }}
        />
        <Lonely rows={rows} ink={ink} />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

/** Dots where no line can be: values between two gaps. The library's own would be one at each point, seen or not. */
function Lonely({ rows, ink }: { rows: readonly ChartRow[]; ink: string }) {
  const area = usePlotArea();
  const across = useXAxisScale();
  const up = useYAxisScale();
  if (!area) return null;
  return rows
    .filter(({ alone }) => alone)
    .map(({ at, mean }) => ({ at, x: across?.(at), y: up?.(mean) }))
    .filter(({ x }) => x !== undefined && x >= area.x && x <= area.x + area.width)
    .map(({ at, x, y }) => <circle key={at} cx={x} cy={y} r={2.5} fill={ink} />);
}

/** A chart as narrow as on a phone has no room for more than the values, and none more than a part of its width. */
const NARROW = 400;
const MOST = 1 / 4;
/** How wide a letter of a name is at most, on average. */
const LETTER = 8;
/** From the end of a line to its name. */
const LEADER = 12;
const GAP = 4;
/** The height that a name takes. */
const LINE = 16;

const strokeOf = (faint: boolean) => (faint ? 'var(--h-edge)' : 'var(--h-warn-fill)');

/** What stands beside the ends of the thresholds' lines, from the top down; without room for words each value once. */
function namesOf(thresholds: readonly Threshold[], width: number, tickText: ChartProps['tickText']) {
  const sorted = thresholds.toSorted((a, b) => b.value - a.value || Number(a.faint) - Number(b.faint));
  if (width >= NARROW && roomFor(sorted) <= width * MOST) return sorted;
  return sorted
    .filter(({ value }, index) => sorted[index - 1]?.value !== value)
    .map((each) => ({ ...each, label: tickText(each.value) }));
}

function roomFor(names: readonly Threshold[]): number {
  const letters = Math.max(0, ...names.map(({ label }) => label.length));
  return letters === 0 ? 12 : LEADER + 2 * GAP + letters * LETTER;
}

/** Names the thresholds beside the drawing, where neither the series nor another name is. */
function Names({ names }: { names: readonly Threshold[] }) {
  const area = usePlotArea();
  const scale = useYAxisScale();
  if (!area || !scale) return null;
  const end = area.x + area.width;
  const lines = names.map(({ value }) => scale(value) ?? area.y);
  const places = apart(lines, LINE, area.y, area.y + area.height);
  return names.map(({ label, faint }, index) => (
    <g key={`${label} ${faint}`}>
      <path
        d={`M${end} ${lines[index]}L${end + LEADER} ${places[index]}`}
        stroke={strokeOf(faint)}
        strokeWidth={1.5}
      />
      <text
        className={classes['threshold']}
        x={end + LEADER + GAP}
        y={places[index]}
        dy="0.35em"
        fill={faint ? 'var(--h-soft)' : 'var(--h-warn)'}
      >
        {label}
      </text>
    </g>
  ));
}

function Hint({ row, timeText, valueText, labels }: ChartProps & { row: ChartRow | undefined }) {
  if (!row || row.mean === null || row.min === null || row.max === null) return null;
  return (
    <div className={classes['hint']}>
      <p>{timeText(row.at)}</p>
      <dl>
        {(['mean', 'min', 'max'] as const).map((key) => (
          <div key={key}>
            <dt>{labels[key]}</dt>
            <dd>{valueText(row[key] ?? 0)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
