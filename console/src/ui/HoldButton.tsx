// A button that is held for a while, so that nobody's sleeve presses it. Who only presses it (a short tap, a key, a screen
// reader) is told apart, and may be asked once more instead.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './HoldButton.module.css';

interface Props {
  label: string;
  holdMs: number;
  className?: string | undefined;
  onHeld: () => void;
  /** It was pressed and not held. */
  onPressed: () => void;
  children: ReactNode;
}

const isPress = (event: KeyboardEvent) => event.key === 'Enter' || event.key === ' ';

export function HoldButton({ label, holdMs, className, onHeld, onPressed, children }: Props) {
  const [holding, setHolding] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const cancel = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    setHolding(false);
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  const begin = () => {
    clearTimeout(timer.current);
    setHolding(true);
    timer.current = setTimeout(() => {
      cancel();
      navigator.vibrate?.(60);
      onHeld();
    }, holdMs);
  };
  const end = () => {
    if (timer.current === undefined) return;
    cancel();
    onPressed();
  };

  return (
    <button
      type="button"
      className={[classes['button'], className].join(' ')}
      aria-label={label}
      aria-haspopup="dialog"
      data-holding={holding || undefined}
      style={{ '--hold-ms': `${holdMs}ms` } as React.CSSProperties}
      onPointerDown={(event: PointerEvent<HTMLButtonElement>) => {
        if (event.button !== 0) return;
        // A thumb rolls: it still holds when it leaves the button a little.
        event.currentTarget.setPointerCapture?.(event.pointerId);
        begin();
      }}
      onPointerUp={end}
      onPointerCancel={cancel}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (!isPress(event)) return;
        event.preventDefault();
        if (!event.repeat) begin();
      }}
      onKeyUp={(event) => {
        if (!isPress(event)) return;
        event.preventDefault();
        end();
      }}
      onBlur={cancel}
      onClick={(event) => {
        // Without a pointer or a key of its own: a screen reader, or speech.
        if (event.detail === 0) onPressed();
      }}
    >
      <svg className={classes['ring']} viewBox="0 0 64 64" aria-hidden>
        <circle cx="32" cy="32" r="29" pathLength="100" />
      </svg>
      {children}
    </button>
  );
}
