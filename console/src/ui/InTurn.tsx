// What is dear to draw, and stands many times on a page that changes all of it at once.
import { type ReactNode, useEffect, useState } from 'react';

const waiting = new Set<() => void>();
let coming = false;

function next() {
  const [first] = waiting;
  coming = false;
  if (!first) return;
  waiting.delete(first);
  first();
  come();
}

function come() {
  if (coming || waiting.size === 0) return;
  coming = true;
  requestAnimationFrame(next);
}

/** Draws its content in a frame of its own, after those that wait longer for theirs. Until then it shows what it showed. */
export function InTurn({ children }: { children: ReactNode }): ReactNode {
  const [shown, setShown] = useState<ReactNode>(null);
  useEffect(() => {
    const draw = () => setShown(children);
    waiting.add(draw);
    come();
    return () => {
      waiting.delete(draw);
    };
  }, [children]);
  return shown;
}
