// On or off, with the word for it beside the knob: the knob's place alone would not say it.
import classes from './Switch.module.css';

interface Props {
  on: boolean;
  /** What it says now: "Active". */
  word: string;
  /** What is switched, for those who hear it. */
  label: string;
  disabled?: boolean;
  onChange: () => void;
}

export function Switch({ on, word, label, disabled = false, onChange }: Props) {
  return (
    <label className={classes['switch']}>
      <input
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: the checkbox itself says whether it is checked
        role="switch"
        aria-label={label}
        checked={on}
        disabled={disabled}
        onChange={onChange}
      />
      <span className={classes['track']} aria-hidden>
        <span />
      </span>
      <span aria-hidden>{word}</span>
    </label>
  );
}
