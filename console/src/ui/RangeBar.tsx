// A value on a scale with the range it should be in. Bar and range share one scale, so the eye sees how far off it is.
// The scale runs from 0 to 1.2 times the range's upper bound; the bar ends at 100 %.
import { useAsOf } from './AsOf';
import classes from './RangeBar.module.css';

interface Props {
  value: number | null;
  /** Whether the value says how it stands. Where it does not, or did before now, no bar is green. */
  known: boolean;
  low: number;
  high: number;
  label: string;
  /** The value as text, for those who hear the page. */
  valueText: string;
  lowText: string;
  highText: string;
}

/** How much of the scale a value fills, in percent. */
export function barWidth(value: number, high: number): number {
  return Math.min(100, Math.max(0, (value / (1.2 * high)) * 100));
}

export function RangeBar({ value, known, low, high, label, valueText, lowText, highText }: Props) {
  const from = barWidth(low, high);
  const to = barWidth(high, high);
  const inside = value !== null && value >= low && value <= high;
  const isNow = useAsOf() === undefined;
  const told = known && (isNow || !inside);
  return (
    <div className={classes['frame']}>
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> cannot show the optimal range on its scale */}
      <div
        className={classes['track']}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.round(120 * high) / 100}
        aria-valuenow={value ?? 0}
        aria-valuetext={valueText}
      >
        <div className={classes['optimal']} style={{ left: `${from}%`, width: `${to - from}%` }} />
        {value !== null && (
          <div
            className={classes['fill']}
            data-inside={told ? inside : 'unknown'}
            style={{ width: `${barWidth(value, high)}%` }}
          />
        )}
      </div>
      <div className={classes['bracket']} style={{ left: `${from}%`, width: `${to - from}%` }} aria-hidden>
        <span>{lowText}</span>
        <span>{highText}</span>
      </div>
    </div>
  );
}
