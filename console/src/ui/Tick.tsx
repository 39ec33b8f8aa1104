// A choice that may be taken together with others, as a pill that a thumb can hit.
import type { ReactNode } from 'react';
import classes from './Tick.module.css';

interface Props {
  checked: boolean;
  onChange: () => void;
  disabled?: boolean;
  /** Whether a form that is wrong puts the focus here. */
  wrong?: boolean;
  children: ReactNode;
}

export function Tick({ checked, onChange, disabled = false, wrong = false, children }: Props) {
  return (
    <label className={classes['tick']}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        data-wrong={wrong || undefined}
        onChange={onChange}
      />
      <span>{children}</span>
    </label>
  );
}
