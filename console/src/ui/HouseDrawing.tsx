// A polyhouse as its arch: heat fills it, the ground below is as wet as the soil, the tank beside it as full as it is, fans turn
// and vents open while they report that they do. What is not known is hatched. It says nothing that does not stand beside it in
// words, so it is hidden from those who hear the page.
import { useId } from 'react';
import classes from './HouseDrawing.module.css';

interface Props {
  /** °C; undefined where it is not measured. */
  temperature: number | 'unknown' | undefined;
  /** Percent; undefined where it is not measured. */
  soil: number | undefined;
  /** Percent; undefined where it is not measured. */
  tank: number | undefined;
  /** Its fans, first to last: whether each runs. */
  fans: readonly boolean[];
  /** Its vents: whether each is open. */
  vents: readonly boolean[];
  /** What is drawn is of an earlier time. */
  old: boolean;
}

/** The temperatures between which the arch is empty and full, in °C. */
const COLD = 5;
const HOT = 45;
/** More than these are not told apart at this size. */
const MOST = 3;

const FLOOR = 92;
const ROOF = 14;
const ARCH = `M8 ${FLOOR} V54 C8 ${ROOF - 13}, 132 ${ROOF - 13}, 132 54 V${FLOOR} Z`;

/** How much of the arch a temperature fills, 0 to 1. */
export function filled(temperature: number): number {
  return Math.min(1, Math.max(0, (temperature - COLD) / (HOT - COLD)));
}

function part(percent: number): number {
  return Math.min(1, Math.max(0, percent / 100));
}

export function HouseDrawing({ temperature, soil, tank, fans, vents, old }: Props) {
  const id = useId();
  const isKnown = typeof temperature === 'number';
  const top = isKnown ? FLOOR - filled(temperature) * (FLOOR - ROOF) : FLOOR;
  return (
    <svg className={classes['house']} viewBox="0 0 160 108" data-old={old || undefined} aria-hidden="true">
      <clipPath id={`${id}-arch`}>
        <path d={ARCH} />
      </clipPath>
      <pattern
        id={`${id}-hatch`}
        width="10"
        height="10"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect className={classes['hatch']} width="5" height="10" />
      </pattern>
      <g clipPath={`url(#${id}-arch)`}>
        <rect className={classes['air']} width="160" height={FLOOR} />
        {temperature === 'unknown' && <rect width="160" height={FLOOR} fill={`url(#${id}-hatch)`} />}
        {isKnown && (
          <rect
            className={classes['heat']}
            y={top}
            width="160"
            height={FLOOR - top}
            data-heat={temperature}
          />
        )}
        <path className={classes['rib']} d={`M49 ${FLOOR} V10 M91 ${FLOOR} V10`} />
      </g>
      <path className={classes['frame']} d={ARCH} />
      {vents.slice(0, MOST).map((open, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a vent is the one at that place
        <g key={at} transform={`translate(${52 + at * 14} 17)`}>
          <path className={classes['vent']} d="M0 0 H11" data-open={open || undefined} />
        </g>
      ))}
      {fans.slice(0, MOST).map((runs, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a fan is the one at that place
        <g key={at} transform={`translate(${28 + at * 21} 46)`}>
          <circle className={classes['ring']} r="8.5" />
          <path
            className={classes['blades']}
            data-runs={runs || undefined}
            d="M0 0 C-5 -3 -4 -7 0 -7 C2 -5 2 -2 0 0 C5 -3 8 0 6 4 C3 4 1 3 0 0 C0 6 -4 7 -6 4 C-6 1 -3 0 0 0"
          />
        </g>
      ))}
      <rect className={classes['ground']} x="4" y={FLOOR + 3} width="132" height="10" rx="3" />
      {soil !== undefined && (
        <rect
          className={classes['water']}
          x="4"
          y={FLOOR + 3}
          width={132 * part(soil)}
          height="10"
          rx="3"
          data-soil={soil}
        />
      )}
      {tank !== undefined && (
        <>
          <rect className={classes['tank']} x="141" y="58" width="16" height="47" rx="3" />
          <rect
            className={classes['water']}
            x="143"
            y={103 - 43 * part(tank)}
            width="12"
            height={43 * part(tank)}
            rx="1.5"
            data-tank={tank}
          />
        </>
      )}
    </svg>
  );
}
