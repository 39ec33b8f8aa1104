// The six boxes of a one-time code: typed, pasted, walked through with the arrows.
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../../ui/form.module.css';
import { typeInto } from './code';

interface Props {
  code: readonly string[];
  onChange: (code: string[]) => void;
  invalid: boolean;
  /** Puts the cursor into the first box, from outside. */
  focusFirst: RefObject<() => void>;
}

export function CodeBoxes({ code, onChange, invalid, focusFirst }: Props) {
  const { t } = useTranslation();
  const boxes = useRef<(HTMLInputElement | null)[]>([]);

  // The person has a code in hand: the first box is ready for it.
  useEffect(() => {
    focusFirst.current = () => boxes.current[0]?.focus();
    focusFirst.current();
  }, [focusFirst]);

  const change = (box: number, typed: string) => {
    const { code: filled, next } = typeInto(code, box, typed);
    onChange(filled);
    boxes.current[next]?.focus();
  };

  const onKey = (box: number, event: KeyboardEvent<HTMLInputElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      boxes.current[box + step]?.focus();
      event.preventDefault();
    } else if (event.key === 'Backspace' && code[box] === '') {
      boxes.current[box - 1]?.focus();
    }
  };

  return (
    <div className={classes['boxes']}>
      {code.map((digit, box) => (
        <input
          // biome-ignore lint/suspicious/noArrayIndexKey: a box is its position
          key={box}
          ref={(element) => {
            boxes.current[box] = element;
          }}
          value={digit}
          inputMode="numeric"
          autoComplete={box === 0 ? 'one-time-code' : 'off'}
          aria-label={t('otp.box', { position: box + 1 })}
          aria-invalid={invalid}
          onFocus={(event) => event.currentTarget.select()}
          onKeyDown={(event) => onKey(box, event)}
          onChange={(event) => change(box, withoutOld(event.currentTarget.value, digit))}
          onPaste={(event) => {
            event.preventDefault();
            change(box, event.clipboardData.getData('text'));
          }}
        />
      ))}
    </div>
  );
}

/** A digit typed beside the one already in the box replaces it. */
function withoutOld(typed: string, old: string): string {
  return old !== '' && typed.length === 2 ? typed.replace(old, '') : typed;
}
