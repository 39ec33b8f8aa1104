// A canvas as large as its box and as sharp as the screen, drawn again whenever the view moves, while anybody can see it.
import { useEffect, useRef } from 'react';
import type { Box } from './paint';
import type { Viewer } from './view';

/** Beyond this nobody sees a difference, and a phone pays for it. */
const SHARPEST = 2;

interface Props {
  viewer: Viewer;
  className: string | undefined;
  draw: (to: CanvasRenderingContext2D, box: Box) => void;
}

export function Canvas({ viewer, className, draw }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(draw);
  const again = useRef<() => void>(undefined);

  useEffect(() => {
    latest.current = draw;
    again.current?.();
  }, [draw]);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    let box: Box = { width: 0, height: 0 };
    let seen = false;
    let drawn = '';
    let soon: ReturnType<typeof setTimeout> | undefined;
    const paint = () => {
      if (!seen || box.width === 0) return;
      latest.current(context, box);
    };
    // What only moves the reading line draws nothing.
    const follow = () => {
      const { from, to } = viewer.get().window;
      const key = `${from} ${to}`;
      if (key === drawn) return;
      if (seen) drawn = key;
      paint();
    };
    const sizes = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      const sharp = Math.min(SHARPEST, devicePixelRatio);
      element.width = Math.round(width * sharp);
      element.height = Math.round(height * sharp);
      context.setTransform(sharp, 0, 0, sharp, 0, 0);
      box = { width, height };
      paint();
    });
    const sight = new IntersectionObserver(
      ([entry]) => {
        seen = entry?.isIntersecting ?? false;
        paint();
      },
      { rootMargin: '50px' },
    );
    sizes.observe(element);
    sight.observe(element);
    // By itself: a house has a dozen, and together they would keep a tap waiting.
    again.current = () => {
      clearTimeout(soon);
      soon = setTimeout(paint);
    };
    const leave = viewer.subscribe(follow);
    return () => {
      clearTimeout(soon);
      sizes.disconnect();
      sight.disconnect();
      leave();
    };
  }, [viewer]);

  return <canvas ref={canvas} className={className} aria-hidden />;
}
