// A value set by thumb: a large numeral, a slider, and a button on either side for the last step of it. The browser's own
// slider: it is known to every keyboard and screen reader.

import { useId } from 'react';
import Less from '~icon/Minus';
import More from '~icon/Plus';
import classes from './ValueSlider.module.css';

interface Props {
  label: string;
  value: number;
  /** The value as people read it. */
  valueText: string;
  min: number;
  max: number;
  step: number;
  lessLabel: string;
  moreLabel: string;
  disabled?: boolean;
  onChange: (value: number) => void;
}

/** To the nearest step between the limits, without the dust of binary fractions. */
export function snap(value: number, min: number, max: number, step: number): number {
  const inside = Math.min(max, Math.max(min, value));
  return Math.round(Math.round(inside / step) * step * 1_000) / 1_000;
}

export function ValueSlider({
  label,
  value,
  valueText,
  min,
  max,
  step,
  lessLabel,
  moreLabel,
  disabled = false,
  onChange,
}: Props) {
  const id = useId();
  // A button moves by a part of the whole that is worth a tap; the keyboard by single steps.
  const leap = Math.max(step, (max - min) / 20);
  const move = (by: number) => onChange(snap(value + by, min, max, step));
  return (
    <div className={classes['slider']}>
      <div className={classes['head']}>
        <label htmlFor={id}>{label}</label>
        <output htmlFor={id} aria-hidden>
          {valueText}
        </output>
      </div>
      <div className={classes['row']}>
        <button
          type="button"
          aria-label={lessLabel}
          disabled={disabled || value <= min}
          onClick={() => move(-leap)}
        >
          <Less size={22} aria-hidden />
        </button>
        <input
          id={id}
          type="range"
          min={min}
          max={max}
          step={step}
          value={value}
          aria-valuetext={valueText}
          disabled={disabled}
          onChange={(event) => onChange(snap(event.currentTarget.valueAsNumber, min, max, step))}
        />
        <button
          type="button"
          aria-label={moreLabel}
          disabled={disabled || value >= max}
          onClick={() => move(leap)}
        >
          <More size={22} aria-hidden />
        </button>
      </div>
    </div>
  );
}
