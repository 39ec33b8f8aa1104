// The present minute, so that the date becomes tomorrow's while the page stays open on a wall.
import { useEffect, useState } from 'react';

const MINUTE_MS = 60_000;

export function useToday(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
