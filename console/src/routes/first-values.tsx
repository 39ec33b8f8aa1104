// Notices that the page has shown its first values: its questions to the server are answered, well or not.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { firstShown, markShown } from '../ui/first';

/** A page asks its questions when it is drawn, which is after this is. */
const ASKED_WITHIN_MS = 50;

/** Not by a hook that draws: a page asks some thirty questions. */
export function FirstValues() {
  const cache = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (cache.isFetching() === 0) timer = setTimeout(shown, ASKED_WITHIN_MS);
    };
    const leave = cache.getQueryCache().subscribe(look);
    const shown = () => {
      leave();
      markShown();
    };
    look();
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [cache]);
  return null;
}

/** Whether the page has shown its first values. */
export function useShown(): boolean {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    let isHere = true;
    void firstShown.then(() => isHere && setShown(true));
    return () => {
      isHere = false;
    };
  }, []);
  return isShown;
}
