// A series over time with what is between its lowest and highest, and the thresholds that matter to it. The drawing loads
// when it is first needed; who cannot see it gets a sentence and a table.
import { Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import classes from './Chart.module.css';
import type { ChartProps } from './ChartDrawing';
import { InTurn } from './InTurn';

const Drawing = lazy(() => import('./ChartDrawing'));

interface Props extends ChartProps {
  /** What stands below an instant that was tapped. */
  picked?: (at: number) => ReactNode;
  /** What the lines of the drawing mean. */
  legend?: ReactNode;
  /** What opens beside the table. */
  more?: ReactNode;
}

export function Chart({ picked, legend, more, ...props }: Props) {
  const { labels, rows, valueText, timeText } = props;
  const [at, setAt] = useState<number>();
  const cell = (value: number | null) => (value === null ? labels.none : valueText(value));
  return (
    <figure className={classes['figure']}>
      <div className={classes['drawing']} role="img" aria-label={labels.summary}>
        <InTurn>
          <Suspense fallback={<Skeleton height="100%" radius="md" />}>
            <Drawing {...props} {...(picked && { onPick: setAt })} />
          </Suspense>
        </InTurn>
      </div>
      {picked && at !== undefined && (
        <div className={classes['picked']} data-picked={at}>
          <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
          {picked(at)}
        </div>
      )}
      {legend}
      <figcaption>{labels.summary}</figcaption>
      <div className={classes['foot']}>
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
        {more}
      </div>
    </figure>
  );
}
