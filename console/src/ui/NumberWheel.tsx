// A number turned by thumb, typed, or stepped by the keys of a spinbutton: its neighbours stand above and below it.
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import Less from '~icon/Minus';
import More from '~icon/Plus';
import classes from './NumberWheel.module.css';
import { numberTyped, stepped } from './wheel';

interface Props {
  label: string;
  /** As it was typed; empty where nothing is. */
  text: string;
  onText: (text: string) => void;
  min: number;
  max: number;
  step: number;
  /** Where it stands while nothing is typed. */
  start: number;
  /** A value in the digits of the language. */
  told: (value: number) => string;
  /** The unit after it. */
  unit?: string;
  /** The value as it is heard. */
  valueText: (value: number) => string;
  lessLabel: string;
  moreLabel: string;
  /** What is wrong with it. */
  problem?: string | undefined;
  problemId: string;
}

/** The height of a row, in CSS pixels; the style sheet has the same. */
const ROW = 44;
/** A finger that moves less means a tap. */
const TAP = 6;
/** How much further a wheel runs that is let go in full turn, in milliseconds of its speed. */
const RUN_ON_MS = 140;
/** Rows that a page of the keyboard turns. */
const PAGE = 10;
const ROWS = [-2, -1, 0, 1, 2];

export function NumberWheel(props: Props) {
  const { label, text, onText, min, max, step, start, told, unit, valueText, problem, problemId } = props;
  // What is being typed may be no number yet: 35.
  const [typed, setTyped] = useState<string>();
  const [pull, setPull] = useState(0);
  const wheel = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const drag = useRef<{ y: number; from: number; moved: boolean; speed: number; last: [number, number] }>(
    undefined,
  );
  const number = numberTyped(text);
  const value = Number.isFinite(number) ? number : undefined;
  const at = value ?? start;
  const row = (by: number) => stepped(at, by, { min, max, step });
  const turn = (by: number, from = at) => {
    setTyped(undefined);
    onText(String(stepped(from, by, { min, max, step })));
  };
  // A page that scrolls away below the turned wheel would be a surprise: so the listener must not be passive.
  const turned = useRef(turn);
  turned.current = turn;
  useEffect(() => {
    const element = wheel.current;
    const roll = (event: WheelEvent) => {
      event.preventDefault();
      turned.current(Math.sign(event.deltaY));
    };
    element?.addEventListener('wheel', roll, { passive: false });
    return () => element?.removeEventListener('wheel', roll);
  }, []);

  const press = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1, PageUp: PAGE, PageDown: -PAGE }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    turn(by);
  };
  const take = (event: PointerEvent) => {
    if (event.button !== 0) return;
    drag.current = {
      y: event.clientY,
      from: at,
      moved: false,
      speed: 0,
      last: [event.clientY, event.timeStamp],
    };
  };
  const move = (event: PointerEvent) => {
    const held = drag.current;
    if (!held) return;
    const by = held.y - event.clientY;
    if (!held.moved && Math.abs(by) < TAP) return;
    held.moved = true;
    wheel.current?.setPointerCapture(event.pointerId);
    const [lastY, lastAt] = held.last;
    held.speed = (lastY - event.clientY) / Math.max(1, event.timeStamp - lastAt);
    held.last = [event.clientY, event.timeStamp];
    const rows = Math.round(by / ROW);
    turn(rows, held.from);
    setPull(Math.max(-ROW / 2, Math.min(ROW / 2, rows * ROW - by)));
  };
  const leave = (event: PointerEvent) => {
    const held = drag.current;
    if (!held) return;
    if (held.moved) turn(Math.round((held.y - event.clientY + held.speed * RUN_ON_MS) / ROW), held.from);
    else if (event.target !== input.current) {
      const box = wheel.current?.getBoundingClientRect();
      const tapped = box ? Math.floor((event.clientY - box.top) / ROW) + (ROWS[0] ?? 0) : 0;
      if (tapped === 0) input.current?.focus();
      else turn(tapped, held.from);
    }
    drag.current = undefined;
    setPull(0);
  };
  return (
    <div className={classes['frame']}>
      <button type="button" aria-label={props.lessLabel} disabled={at <= min} onClick={() => turn(-1)}>
        <Less size={22} aria-hidden />
      </button>
      <div
        ref={wheel}
        className={classes['wheel']}
        data-wrong={problem ? '' : undefined}
        onPointerDown={take}
        onPointerMove={move}
        onPointerUp={leave}
        onPointerCancel={() => {
          drag.current = undefined;
          setPull(0);
        }}
      >
        <div className={classes['strip']} style={{ translate: `0 ${pull}px` }} aria-hidden>
          {ROWS.map((by) => (
            <span key={by} data-far={Math.abs(by)}>
              {by !== 0 && row(by) !== row(by - Math.sign(by)) && told(row(by))}
            </span>
          ))}
        </div>
        <div className={classes['middle']} style={{ translate: `0 ${pull}px` }}>
          <input
            ref={input}
            role="spinbutton"
            type="text"
            inputMode={min < 0 ? 'text' : 'decimal'}
            autoComplete="off"
            enterKeyHint="done"
            aria-label={label}
            aria-valuemin={min}
            aria-valuemax={max}
            aria-valuenow={at}
            aria-valuetext={value === undefined ? undefined : valueText(value)}
            aria-invalid={problem ? true : undefined}
            aria-describedby={problem ? problemId : undefined}
            data-autofocus
            size={7}
            placeholder={told(start)}
            value={typed ?? (value === undefined ? text : told(value))}
            onChange={(event) => {
              const given = event.currentTarget.value;
              setTyped(given);
              const meant = numberTyped(given);
              onText(Number.isFinite(meant) ? String(meant) : given);
            }}
            onFocus={(event) => event.currentTarget.select()}
            onBlur={() => setTyped(undefined)}
            onKeyDown={press}
          />
          {unit && <span aria-hidden>{unit}</span>}
        </div>
      </div>
      <button type="button" aria-label={props.moreLabel} disabled={at >= max} onClick={() => turn(1)}>
        <More size={22} aria-hidden />
      </button>
      {problem && (
        <p id={problemId} className={classes['problem']}>
          {problem}
        </p>
      )}
    </div>
  );
}
