// Parts of the console whose code is not there yet. It is asked for again until it has come: there may be no network for a
// while, and what failed once must not stay away.
import {
  type ComponentType,
  createElement,
  type FunctionComponent,
  startTransition,
  useEffect,
  useState,
} from 'react';
import { turnAfterFirst } from './first';

const AGAIN_MS = 3_000;

/** Loads, as often as it takes, sooner where the browser says that there is a network again. */
export async function untilLoaded<T>(
  load: () => Promise<T>,
  onFailed: () => void = () => {},
  againMs = AGAIN_MS,
): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch {
      onFailed();
      await new Promise<void>((wake) => {
        const timer = setTimeout(go, againMs);
        function go() {
          clearTimeout(timer);
          window.removeEventListener('online', go);
          wake();
        }
        window.addEventListener('online', go);
      });
    }
  }
}

interface Instead<Props> {
  /** Stands there until the code has come. */
  Meanwhile?: ComponentType<Props> | undefined;
  /** The same once it was asked for in vain. */
  Failed?: ComponentType<Props> | undefined;
  /** It is not asked for before what this gives is settled. */
  after?: () => Promise<void>;
}

/** A component that is drawn once its code is there; from then on at once. */
export function loadable<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { Meanwhile, Failed = Meanwhile, after }: Instead<Props> = {},
): FunctionComponent<Props> {
  let state: { Loaded?: ComponentType<Props>; hasFailed: boolean } = { hasFailed: false };
  let isLoading = false;
  const shown = new Set<() => void>();
  const become = (next: typeof state) => {
    state = next;
    // What comes by itself is drawn in pieces: in one, a tap on a slow phone would wait for all of it.
    startTransition(() => {
      for (const look of shown) look();
    });
  };
  const begin = async () => {
    if (isLoading) return;
    isLoading = true;
    await after?.();
    const Loaded = await untilLoaded(load, () => become({ hasFailed: true }));
    become({ Loaded, hasFailed: false });
  };
  return function Loadable(props: Props) {
    const [{ Loaded, hasFailed }, setState] = useState(state);
    useEffect(() => {
      const look = () => setState(state);
      shown.add(look);
      look();
      void begin();
      return () => {
        shown.delete(look);
      };
    }, []);
    const Drawn = Loaded ?? (hasFailed ? Failed : Meanwhile);
    return Drawn ? createElement(Drawn, props) : null;
  };
}

/** A part of a page that comes after the page's first values, and `Meanwhile` until then. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile?: ComponentType<Props>,
): FunctionComponent<Props> {
  return loadable(load, { Meanwhile, after: turnAfterFirst });
}
