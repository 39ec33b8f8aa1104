// Whether the real-time connection is there, which is all that screens see of it, and since when it is not.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useSession } from './session';

/** `on` while the server tells what happens on the farm. */
export type LiveStatus = 'off' | 'on';

/** A connection that is away for less is not worth a sentence. */
export const HICCUP_MS = 5_000;

let status: LiveStatus = 'off';
/** Since when it is off. */
let offSince = Date.now();
const listeners = new Set<() => void>();

/** Notes whether it is there, for all who ask. */
export function setLiveStatus(next: LiveStatus): void {
  if (next === status) return;
  status = next;
  if (next === 'off') offSince = Date.now();
  for (const listener of listeners) listener();
}

/** The status now. */
export const liveStatus = (): LiveStatus => status;

/** Whether live updates are flowing, for the Live badge. */
export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, liveStatus);
}

/** Since when there is no connection; undefined while there is one, and at first. */
export function useLostSince(): number | undefined {
  const live = useLiveStatus();
  const [lost, setLost] = useState<number>();
  useEffect(() => {
    if (live === 'on') return;
    let timer: ReturnType<typeof setTimeout>;
    const look = () => {
      const left = offSince + HICCUP_MS - Date.now();
      // Whoever has just begun to connect has its time, however long nobody wanted to before.
      if (left > 0) timer = setTimeout(look, left);
      else setLost(offSince);
    };
    timer = setTimeout(look, 0);
    return () => {
      clearTimeout(timer);
      setLost(undefined);
    };
  }, [live]);
  return live === 'on' ? undefined : lost;
}

/** What brings the connection's code, however long that takes. */
export type LoadLive = () => Promise<Pick<typeof import('./live'), 'openLive'>>;

/** Keeps the live connection of the chosen farm open while the calling component is shown. */
export function useLive(farmId: string | undefined, load: LoadLive): void {
  const cache = useQueryClient();
  const session = useSession();
  const token = session.state === 'authenticated' ? session.token : undefined;
  useEffect(() => {
    if (!farmId || !token) return;
    if (status === 'off') offSince = Date.now();
    let isWanted = true;
    let close = () => {};
    void load().then(({ openLive }) => {
      if (isWanted) close = openLive(cache, farmId, token);
    });
    return () => {
      isWanted = false;
      close();
    };
  }, [cache, farmId, token, load]);
}
