// A choice that may be taken together with others, as a pill that a thumb can hit.
import type { ReactNode } from 'react';
import classes from './Tick.module.css';

interface Props {
  checked: boolean;
  onChange: () => void;
  children: ReactNode;
}

export function Tick({ checked, onChange, children }: Props) {
  return (
    <label className={classes['tick']}>
      <input type="checkbox" checked={checked} onChange={onChange} />
      <span>{children}</span>
    </label>
  );
}
