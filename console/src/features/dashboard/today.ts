// Today's date, which becomes tomorrow's while the page stays open on a wall.
import { useEffect, useState } from 'react';

const LOOK_AGAIN_MS = 60_000;

export function useToday(): Date {
  const [today, setToday] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => {
      const now = new Date();
      setToday((before) => (before.toDateString() === now.toDateString() ? before : now));
    }, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return today;
}
