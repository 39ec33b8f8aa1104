// Where a value stands against a limit: the part of the scale beyond the limit is filled, the limit is a line, where it ends a
// hollow line, and the value a dot. What is not known is hatched. It is only looked at: the words stand beside it.
import classes from './Gauge.module.css';

interface Props {
  /** All in parts of the scale, from 0 to 1; a value off the scale stands at its end. */
  zone: { from: number; to: number };
  start: readonly number[];
  stop: number | undefined;
  /** Undefined where it is not known. */
  value: number | undefined;
  /** It acts on nothing now. */
  idle: boolean;
}

const percent = (part: number) => `${Math.min(1, Math.max(0, part)) * 100}%`;

export function Gauge({ zone, start, stop, value, idle }: Props) {
  const inside = value !== undefined && value >= zone.from && value <= zone.to;
  return (
    <div
      className={classes['gauge']}
      data-unknown={value === undefined ? '' : undefined}
      data-idle={idle || undefined}
      aria-hidden
    >
      <div className={classes['track']}>
        <div
          className={classes['zone']}
          style={{ insetInlineStart: percent(zone.from), insetInlineEnd: percent(1 - zone.to) }}
        />
      </div>
      {start.map((at) => (
        <span key={at} className={classes['start']} style={{ insetInlineStart: percent(at) }} />
      ))}
      {stop !== undefined && <span className={classes['stop']} style={{ insetInlineStart: percent(stop) }} />}
      {value !== undefined && (
        <span
          className={classes['value']}
          data-inside={inside || undefined}
          style={{ insetInlineStart: percent(value) }}
        />
      )}
    </div>
  );
}
