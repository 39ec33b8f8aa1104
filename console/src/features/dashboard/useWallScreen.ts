// What a page on a wall wants of the screen: dark, letters that grow with it, and that it stays lit.
import { useEffect } from 'react';

/** Text for who stands some metres away: 16 px on a phone, 26 px on a television of 1920. */
const FONT_SIZE = 'clamp(16px, 1.35vw, 48px)';
const SCHEME = 'data-mantine-color-scheme';

export function useWallScreen(): void {
  useEffect(() => {
    const root = document.documentElement;
    const before = { scheme: root.getAttribute(SCHEME), size: root.style.fontSize };
    root.setAttribute(SCHEME, 'dark');
    root.style.fontSize = FONT_SIZE;
    return () => {
      root.setAttribute(SCHEME, before.scheme ?? 'light');
      root.style.fontSize = before.size;
    };
  }, []);
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    let gone = false;
    // It is let go when the page is covered, and asked for again when it is seen.
    const ask = async () => {
      if (document.visibilityState !== 'visible') return;
      // A browser may refuse, as when the battery is low: then the screen goes dark as it always does.
      lock = await navigator.wakeLock?.request('screen').catch(() => undefined);
      if (gone) void lock?.release();
    };
    void ask();
    document.addEventListener('visibilitychange', ask);
    return () => {
      gone = true;
      document.removeEventListener('visibilitychange', ask);
      void lock?.release();
    };
  }, []);
}
