// What the passing of time changes on the page.
import { useEffect, useState } from 'react';

const MINUTE_MS = 60_000;

/** The present minute: today's date becomes tomorrow's while the page stays open on a wall. */
export function useToday(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
