// The present second, for holds that grow while one looks.
import { useEffect, useState } from 'react';

const SECOND_MS = 1_000;

/** Now, anew every second while something moves. */
export function useNow(moving: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!moving) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [moving]);
  return now;
}
