// A link to a page of the console. The router's own brings 2 kB of what only its framework has: it loads pages ahead.
import type { ComponentProps } from 'react';
import { type To, useHref, useLinkClickHandler } from 'react-router';

interface Props extends Omit<ComponentProps<'a'>, 'href' | 'target'> {
  to: To;
  /** What the page is told beside its address. */
  state?: unknown;
}

export function Link({ to, state, onClick, ...others }: Props) {
  const href = useHref(to);
  const go = useLinkClickHandler<HTMLAnchorElement>(to, { state });
  return (
    <a
      {...others}
      href={href}
      onClick={(event) => {
        onClick?.(event);
        if (!event.defaultPrevented) go(event);
      }}
    />
  );
}
