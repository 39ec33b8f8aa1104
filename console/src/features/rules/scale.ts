// Where a rule's limits and its value lie on the scale of its gauge. The limit stands at the same part of it in every rule, so
// that a list of them is read down: what is near the line acts soon.
import type { Condition } from './form';
import { isAbove, usualOf } from './usual';

export interface Scale {
  zone: { from: number; to: number };
  start: number[];
  stop: number | undefined;
  value: number | undefined;
}

/** Where a limit stands that is met by what is high. */
const HIGH = 0.7;
/** Where the lower end of a range stands. */
const RANGE = 0.25;
/** So wide is what counts as equal. */
const EQUAL = 0.02;

export function scaleOf(
  trigger: Condition,
  stop: Condition | null | undefined,
  value: number | null | undefined,
): Scale {
  const { sensor_type, operator } = trigger;
  const top = operator === 'between' ? (trigger.value_max ?? trigger.value) : undefined;
  // A stop condition of another quantity is on no scale of this one.
  const end = stop && stop.sensor_type === sensor_type ? stop.value : undefined;
  const apart = end === undefined ? 0 : Math.abs(end - trigger.value);
  const width =
    top === undefined
      ? Math.max(usualOf(sensor_type).width, 2 * apart)
      : Math.max(top - trigger.value, usualOf(sensor_type).step) / (1 - 2 * RANGE);
  const at = top !== undefined ? RANGE : operator === 'eq' ? 0.5 : isAbove(operator) ? HIGH : 1 - HIGH;
  const part = (of: number) => at + (of - trigger.value) / width;
  const zone =
    top !== undefined
      ? { from: RANGE, to: 1 - RANGE }
      : operator === 'eq'
        ? { from: at - EQUAL, to: at + EQUAL }
        : isAbove(operator)
          ? { from: at, to: 1 }
          : { from: 0, to: at };
  return {
    zone,
    start: top === undefined ? [at] : [RANGE, 1 - RANGE],
    stop: end === undefined ? undefined : part(end),
    // Off the scale it stands at its end.
    value: typeof value === 'number' ? Math.min(1, Math.max(0, part(value))) : undefined,
  };
}
