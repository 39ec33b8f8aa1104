// One of a few: pills for a thumb, a tap where a list that unfolds takes two.
import { type ReactNode, useId } from 'react';
import classes from './Choices.module.css';

export interface Choice {
  value: string;
  label: ReactNode;
}

interface Props {
  label: string;
  /** Of the field in its form. */
  name: string;
  choices: readonly Choice[];
  value: string;
  onChange: (value: string) => void;
  error?: ReactNode;
}

export function Choices({ label, name, choices, value, onChange, error }: Props) {
  const id = useId();
  return (
    <fieldset className={classes['choices']} aria-describedby={error ? id : undefined}>
      <legend>{label}</legend>
      <div>
        {choices.map((choice, nth) => (
          <label key={choice.value} className={classes['choice']}>
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
              // Where a form that is wrong puts the focus.
              data-wrong={error && nth === 0 ? true : undefined}
            />
            <span>{choice.label}</span>
          </label>
        ))}
      </div>
      {error && (
        <p id={id} className={classes['error']}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
