// What something did over time: a strip with its times on and off; where nothing is known the strip is hatched. The sentence
// and the table of whoever shows it tell the same.
import classes from './StateStrip.module.css';

export interface Stretch {
  from: number;
  to: number;
  on: boolean;
  /** How much, from 0 to 1; 1 for what is only on. */
  level: number;
}

interface Props {
  stretches: readonly Stretch[];
  from: number;
  to: number;
  label: string;
  ticks: readonly { at: number; text: string }[];
}

/** A stretch shorter than this part of the strip is drawn so wide, or nobody would see it. */
const NARROWEST = 0.25;

export function StateStrip({ stretches, from, to, label, ticks }: Props) {
  const part = (at: number) => ((Math.min(Math.max(at, from), to) - from) / (to - from)) * 100;
  return (
    <div className={classes['strip']} role="img" aria-label={label}>
      <div className={classes['track']}>
        {stretches.map((stretch) => (
          <div
            key={`${stretch.from} ${stretch.to}`}
            className={classes['stretch']}
            data-on={stretch.on}
            style={{
              left: `${part(stretch.from)}%`,
              width: `${Math.max(part(stretch.to) - part(stretch.from), stretch.on ? NARROWEST : 0)}%`,
            }}
          >
            {stretch.on && <div style={{ height: `${Math.max(0.15, stretch.level) * 100}%` }} />}
          </div>
        ))}
      </div>
      {ticks.length > 0 && (
        <div className={classes['ticks']}>
          {ticks.map(({ at, text }) => (
            <span key={at} style={{ left: `${part(at)}%` }}>
              {text}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}
