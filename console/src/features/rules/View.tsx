// What takes the place of what a choice showed before: it has the focus, so that keys go on where they were.
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './SlotChoice.module.css';

export function View({ children }: { children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.focus({ preventScroll: true }), []);
  return (
    <div ref={element} tabIndex={-1} className={classes['view']}>
      {children}
    </div>
  );
}
