// A series over time with what is between its lowest and highest, and the thresholds that matter to it. The drawing loads
// when it is first needed; who cannot see it gets a sentence and a table.
import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import classes from './Chart.module.css';
import type { ChartPoint } from './chart-scale';

const Drawing = lazy(() => import('./ChartDrawing'));

export interface Threshold {
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
}

export function Chart(props: ChartProps) {
  const { labels, rows, valueText, timeText } = props;
  const cell = (value: number | null) => (value === null ? labels.none : valueText(value));
  return (
    <figure className={classes['figure']}>
      <div className={classes['drawing']} role="img" aria-label={labels.summary}>
        <Suspense fallback={<Skeleton height="100%" radius="md" />}>
          <Drawing {...props} />
        </Suspense>
      </div>
      <figcaption>{labels.summary}</figcaption>
      <details className={classes['table']}>
        <summary>{labels.table}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section className={classes['scroll']} tabIndex={0} aria-label={labels.table}>
          <table>
            <thead>
              <tr>
                {[labels.time, labels.mean, labels.min, labels.max].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ at, mean, min, max }) => (
                <tr key={at}>
                  <th scope="row">{timeText(at)}</th>
                  <td>{cell(mean)}</td>
                  <td>{cell(min)}</td>
                  <td>{cell(max)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}
