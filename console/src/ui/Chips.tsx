// Usual values side by side, each a tap.
import classes from './Chips.module.css';

interface Props<Value> {
  label: string;
  values: readonly Value[];
  /** What stands on it. */
  told: (value: Value) => string;
  /** One, or several where each is chosen by itself. */
  chosen: Value | readonly Value[] | undefined;
  onChoose: (value: Value) => void;
}

export function Chips<Value extends string | number>({
  label,
  values,
  told,
  chosen,
  onChoose,
}: Props<Value>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields
    <div className={classes['chips']} role="group" aria-label={label}>
      {values.map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={Array.isArray(chosen) ? chosen.includes(value) : value === chosen}
          onClick={() => onChoose(value)}
        >
          {told(value)}
        </button>
      ))}
    </div>
  );
}
