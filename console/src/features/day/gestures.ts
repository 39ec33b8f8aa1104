// Fingers, mouse and keys on the drawing: one finger or the mouse reads, two fingers and the wheel zoom, a dragging mouse moves.
import { type KeyboardEvent, type RefObject, useEffect } from 'react';
import type { Viewer } from './view';
import { loadFor, moved, pinched, showing, zoomed } from './window';

/** How much one notch of the wheel or one key zooms. */
const WHEEL = 0.0025;
export const KEY_ZOOM = 2;
const MANY = 10;

interface Finger {
  part: number;
  /** The instant that it holds. */
  holds: number;
}

export function useGestures(area: RefObject<HTMLElement | null>, viewer: Viewer): void {
  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const fingers = new Map<number, Finger>();
    // The axis is as wide as the first drawing on it; at a desk names stand before it.
    const axis = () => (element.querySelector('canvas') ?? element).getBoundingClientRect();
    const partOf = ({ clientX }: { clientX: number }) => {
      const { left, width } = axis();
      return Math.min(1, Math.max(0, (clientX - left) / width));
    };
    const instantAt = (part: number) => {
      const { from, to } = viewer.get().window;
      return from + part * (to - from);
    };
    const read = (part: number) => viewer.set({ at: Math.round(instantAt(part)) });

    /** What stands before the axis or is pressed by itself is left to itself: a captured pointer would click on the area alone, and a mouse on its way to a link
     * must not move the instant to which it leads. */
    const isBeside = ({ target, clientX }: PointerEvent) =>
      clientX < axis().left || (target instanceof Element && target.closest('a, button, [data-beside]'));

    const down = (event: PointerEvent) => {
      if ((event.pointerType === 'mouse' && event.button !== 0) || isBeside(event)) return;
      const part = partOf(event);
      fingers.set(event.pointerId, { part, holds: instantAt(part) });
      if (event.pointerType === 'mouse') element.setPointerCapture(event.pointerId);
      else if (fingers.size === 1) read(part);
      else for (const finger of fingers.values()) finger.holds = instantAt(finger.part);
    };
    const move = (event: PointerEvent) => {
      const part = partOf(event);
      const finger = fingers.get(event.pointerId);
      if (finger) finger.part = part;
      const [one, other] = [...fingers.values()];
      if (one && other) {
        const window = pinched([one.holds, other.holds], [one.part, other.part]);
        if (window) viewer.set({ window });
      } else if (finger && event.pointerType === 'mouse') {
        viewer.set({ window: moved(viewer.get().window, finger.holds - instantAt(part)) });
      } else if (finger || (event.pointerType === 'mouse' && !isBeside(event))) read(part);
    };
    const up = (event: PointerEvent) => fingers.delete(event.pointerId);
    const wheel = (event: WheelEvent) => {
      // Without a key the wheel scrolls the page, as everywhere; a touchpad's pinch comes as a wheel with Ctrl.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      viewer.set({
        window: zoomed(viewer.get().window, Math.exp(-event.deltaY * WHEEL), instantAt(partOf(event))),
      });
    };
    const listeners = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up } as const;
    for (const [name, listener] of Object.entries(listeners))
      element.addEventListener(name, listener as EventListener);
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      for (const [name, listener] of Object.entries(listeners))
        element.removeEventListener(name, listener as EventListener);
      element.removeEventListener('wheel', wheel);
    };
  }, [area, viewer]);
}

/** What a key does to the view: arrows read, with shift ten steps, page keys turn, plus and minus zoom. */
export function onKey(viewer: Viewer, event: KeyboardEvent): void {
  const { window, at } = viewer.get();
  const length = window.to - window.from;
  const step = loadFor(window).step * (event.shiftKey ? MANY : 1);
  const to = (instant: number) => viewer.set({ at: instant, window: showing(window, instant) });
  const turn = (by: number) => viewer.set({ at: at + by, window: moved(window, by) });
  const keys: Record<string, () => void> = {
    ArrowLeft: () => to(at - step),
    ArrowDown: () => to(at - step),
    ArrowRight: () => to(at + step),
    ArrowUp: () => to(at + step),
    PageUp: () => turn(-length),
    PageDown: () => turn(length),
    Home: () => to(window.from),
    End: () => to(window.to - 1),
    '+': () => viewer.set({ window: zoomed(window, KEY_ZOOM, at) }),
    '=': () => viewer.set({ window: zoomed(window, KEY_ZOOM, at) }),
    '-': () => viewer.set({ window: zoomed(window, 1 / KEY_ZOOM, at) }),
  };
  const act = keys[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
}
