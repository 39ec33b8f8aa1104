// The mark of Harit: a polyhouse with warm air in it. Also what stands while one waits: then the air rises.
import { useId } from 'react';
import { airUpTo, archLine, LOGO, LOGO_HEAT } from './arch';
import classes from './Logo.module.css';

interface Props {
  size: number;
  /** Whether something is being waited for. */
  rising?: boolean;
}

export function Logo({ size, rising = false }: Props) {
  const id = useId();
  return (
    <svg
      className={classes['logo']}
      width={size}
      height={size}
      viewBox="4 4 56 56"
      data-rising={rising || undefined}
      aria-hidden="true"
    >
      <clipPath id={id}>
        <path d={`${archLine(LOGO)}Z`} />
      </clipPath>
      <g clipPath={`url(#${id})`}>
        <path className={classes['warm']} d={airUpTo(LOGO, LOGO_HEAT.warm)} />
        <path className={classes['hot']} d={airUpTo(LOGO, LOGO_HEAT.hot)} />
      </g>
      <path className={classes['frame']} d={archLine(LOGO)} />
      <path className={classes['frame']} d="M7 56H57" />
    </svg>
  );
}
