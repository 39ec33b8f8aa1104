// The drawing of a chart, and the only importer of recharts: its own chunk, loaded by Chart.tsx.
import { useMemo } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import classes from './Chart.module.css';
import { type ChartPoint, type ChartRow, niceScale, type Scale, withGaps } from './chart-scale';

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
    <ResponsiveContainer width="100%" height="100%">
      <ComposedChart
        data={rows}
        accessibilityLayer={false}
        margin={{ top: 12, right: 12, bottom: 0, left: 0 }}
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
        {thresholds.map(({ value, label, faint }, index) => (
          <ReferenceLine
            key={`${label} ${faint}`}
            y={value}
            stroke={faint ? 'var(--h-edge)' : 'var(--h-warn-fill)'}
            strokeWidth={1.5}
            strokeDasharray={faint ? '2 4' : '8 5'}
            label={{
              value: label,
              className: classes['threshold'] ?? '',
              position: labelAt(value, index, scale),
              fill: faint ? 'var(--h-soft)' : 'var(--h-warn)',
              fontSize: 13,
              fontWeight: 600,
            }}
          />
        ))}
        <Line
          dataKey="mean"
          stroke={ink}
          strokeWidth={2}
          connectNulls={false}
          isAnimationActive={false}
          dot={(at) => <Lonely {...at} key={at.index} ink={ink} />}
          activeDot={{ r: 4, fill: ink, stroke: 'var(--h-surface)' }}
        />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

/** A dot where no line can be: a value between two gaps. */
function Lonely({ cx, cy, payload, ink }: { cx?: number; cy?: number; payload?: ChartRow; ink: string }) {
  if (!payload?.alone || cx === undefined || cy === undefined) return <g />;
  return <circle cx={cx} cy={cy} r={2.5} fill={ink} />;
}

/** This much of the height is left below a threshold that is named below its line. */
const LABEL_SHARE = 0.12;

/** Neighbouring thresholds are named at different ends; one at the foot of the chart above its line, where no axis is. */
function labelAt(value: number, index: number, { low, high }: Scale) {
  const side = index % 2 === 0 ? 'Right' : 'Left';
  return value - low < (high - low) * LABEL_SHARE
    ? (`insideBottom${side}` as const)
    : (`insideTop${side}` as const);
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
