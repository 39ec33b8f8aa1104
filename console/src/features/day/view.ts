// What is on screen while fingers move it: the drawings follow it frame by frame, the page only when it has come to rest.
import type { Window } from './window';

export interface View {
  window: Window;
  /** The instant that is read. */
  at: number;
}

export interface Viewer {
  get: () => View;
  set: (change: Partial<View>) => void;
  subscribe: (listener: () => void) => () => void;
}

/** A view and who is told of it, at most once a frame. */
export function createViewer(first: View): Viewer {
  let view = first;
  let waiting = false;
  const listeners = new Set<() => void>();
  return {
    get: () => view,
    set: (change) => {
      view = { ...view, ...change };
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        for (const listener of listeners) listener();
      });
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
