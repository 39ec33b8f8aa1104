// What is much to draw, and is drawn anew as answers come.
import { type ReactNode, useDeferredValue } from 'react';

/**
 * Draws its content after what is around it, with pauses in which the browser answers a tap, and begins anew when more has come
 * meanwhile. Until then it shows what it showed.
 */
export function InPieces({ children }: { children: ReactNode }): ReactNode {
  return useDeferredValue(children);
}
