// What the passing of time changes on the page.
import { useEffect, useState } from 'react';

const MINUTE_MS = 60_000;
const LOOK_MS = 1_000;

const minuteNow = () => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

/** The beginning of the present minute: today's date becomes tomorrow's while the page stays open on a wall. */
export function useMinute(): Date {
  const [minute, setMinute] = useState(minuteNow);
  useEffect(() => {
    const timer = setInterval(() => setMinute(minuteNow()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return new Date(minute);
}
