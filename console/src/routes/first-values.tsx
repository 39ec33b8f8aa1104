// Notices that the page has shown its first values: its questions to the server are answered, well or not.
import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { firstShown, markShown } from '../ui/first';

/** A page asks its questions when it is drawn, which is after this is. */
const ASKED_WITHIN_MS = 50;

export function FirstValues() {
  const asking = useIsFetching() > 0;
  useEffect(() => {
    if (asking) return;
    const timer = setTimeout(markShown, ASKED_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [asking]);
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
