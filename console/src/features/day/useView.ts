// The view of a house's day, begun as the address says and written to it when it has come to rest.
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useFormat } from '../../i18n/format';
import { createViewer, type View, type Viewer } from './view';
import { showing, type Window } from './window';

/** When nothing has moved for so long, what is on screen is loaded. */
const REST_MS = 250;

/** The farm's day in which an instant lies: 23 or 25 hours where clocks change. */
export function useDayOf(): (at: number) => Window {
  const format = useFormat();
  return (at) => {
    const from = format.dayStart(format.isoDay(new Date(at)));
    // Noon of the next day, however long this one is.
    const to = format.dayStart(format.isoDay(new Date(from + 36 * 3_600_000)));
    return { from, to };
  };
}

function instant(text: string | null): number | undefined {
  const value = Number(text);
  return text !== null && text !== '' && Number.isSafeInteger(value) ? value : undefined;
}

/** The viewer, and what it showed when it last came to rest. */
export function useView(): { viewer: Viewer; rested: View } {
  const [search, setSearch] = useSearchParams();
  const dayOf = useDayOf();
  const dayRef = useRef(dayOf);
  const [viewer] = useState(() => {
    const at = instant(search.get('at')) ?? Date.now();
    const [from, to] = [instant(search.get('from')), instant(search.get('to'))];
    const window =
      from !== undefined && to !== undefined && from < to ? showing({ from, to }, at) : dayOf(at);
    return createViewer({ window, at });
  });
  const [rested, setRested] = useState(viewer.get);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = viewer.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(() => setRested(viewer.get()), REST_MS);
    });
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [viewer]);

  // The router's setter is another one after each change of the address.
  const write = useRef(setSearch);
  useEffect(() => {
    write.current = setSearch;
  });
  const [first] = useState(rested);
  useEffect(() => {
    // Who came to see today sees today when they come again.
    if (rested === first) return;
    write.current(
      (before) => {
        const next = new URLSearchParams(before);
        next.set('at', `${rested.at}`);
        next.set('from', `${rested.window.from}`);
        next.set('to', `${rested.window.to}`);
        return next;
      },
      { replace: true },
    );
  }, [rested, first]);

  // A link that was followed while the day was on screen.
  const linked = search.has('from') ? undefined : instant(search.get('at'));
  useEffect(() => {
    if (linked !== undefined && linked !== viewer.get().at)
      viewer.set({ at: linked, window: dayRef.current(linked) });
  }, [linked, viewer]);

  return { viewer, rested };
}
