// A polyhouse as its arch: warm air fills it, the ground below is as wet as the soil, the tank beside it as full as it is, fans turn
// and vents open while they report that they do. What is not known is hatched. It says nothing that does not stand beside it in
// words, so it is hidden from those who hear the page.
import { useId } from 'react';
import { type ArchBox, airUpTo, archLine } from './arch';
import classes from './HouseDrawing.module.css';
import { BLADE } from './icons/DeviceGlyph';

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

const WIDE = 160;
const HIGH = 108;
/** How high its fans sit. */
const FAN_Y = 45;
const FLOOR = 92;
const ROOF = 14.25;
const HOUSE: ArchBox = { left: 8, right: 132, floor: FLOOR, eaves: 54, top: ROOF };
/** The air as high as it can be; it is moved down to where it is. */
const AIR = airUpTo({ ...HOUSE, floor: FLOOR * 2 }, ROOF);
/** Where vents sit on the roof, and how steep it is there. */
const VENTS = [
  { x: 70, y: 14, turn: 0 },
  { x: 44, y: 18, turn: -18 },
  { x: 96, y: 18, turn: 18 },
];

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
  // A fan is the one at that place.
  const rings = fans.slice(0, MOST).map((runs, at) => ({ x: 30 + at * 22, runs }));
  return (
    <div className={classes['house']} data-old={old || undefined} aria-hidden="true">
      <svg viewBox={`0 0 ${WIDE} ${HIGH}`} aria-hidden>
        <clipPath id={`${id}-arch`}>
          <path d={`${archLine(HOUSE)}Z`} />
        </clipPath>
        <linearGradient
          id={`${id}-heat`}
          gradientUnits="userSpaceOnUse"
          x1="0"
          y1={ROOF}
          x2="0"
          y2={ROOF + FLOOR - 14}
        >
          <stop className={classes['warm']} offset="0" />
          <stop className={classes['hot']} offset="1" />
        </linearGradient>
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
            <path
              d={AIR}
              fill={`url(#${id}-heat)`}
              style={{ transform: `translateY(${(1 - filled(temperature)) * (FLOOR - ROOF)}px)` }}
              data-heat={temperature}
            />
          )}
          <path className={classes['rib']} d={`M49 ${FLOOR}V10M91 ${FLOOR}V10M8 54H132`} />
        </g>
        <path className={classes['frame']} d={`${archLine(HOUSE)}Z`} />
        {vents.slice(0, MOST).map((open, at) => {
          const { x, y, turn } = VENTS[at] ?? { x: 0, y: 0, turn: 0 };
          return (
            <g key={x} transform={`translate(${x} ${y}) rotate(${turn})`}>
              {open && <path className={classes['hole']} d="M-8 0H8" />}
              <g transform="translate(-8 0)">
                <path className={classes['vent']} d="M0 0H16" data-open={open || undefined} />
              </g>
            </g>
          );
        })}
        {rings.map((ring) => (
          <circle
            key={ring.x}
            className={classes['ring']}
            cx={ring.x}
            cy={FAN_Y}
            r="9.5"
            data-lit={ring.runs || undefined}
          />
        ))}
        <rect className={classes['ground']} x="4" y={FLOOR + 3} width="132" height="11" rx="4" />
        {soil !== undefined && (
          <rect
            className={classes['water']}
            x="4"
            y={FLOOR + 3}
            width={132 * part(soil)}
            height="11"
            rx="4"
            data-soil={soil}
          />
        )}
        {tank !== undefined && (
          <>
            <rect className={classes['tank']} x="141" y="58" width="16" height="48" rx="4" />
            <rect
              className={classes['water']}
              x="143"
              y={104 - 44 * part(tank)}
              width="12"
              height={44 * part(tank)}
              rx="2"
              data-tank={tank}
            />
            <path className={classes['tank']} d="M144 55H154" />
          </>
        )}
      </svg>
      {/* Drawings of their own: what turns inside of one has it laid out and painted anew for every frame. */}
      {rings.map(({ x, runs }) => (
        <svg
          key={x}
          aria-hidden
          className={classes['blades']}
          viewBox="-10 -10 20 20"
          style={{
            left: `${((x - 10) / WIDE) * 100}%`,
            top: `${((FAN_Y - 10) / HIGH) * 100}%`,
            width: `${(20 / WIDE) * 100}%`,
          }}
          data-runs={runs || undefined}
        >
          {[0, 120, 240].map((turn) => (
            <path key={turn} d={BLADE} transform={`rotate(${turn}) scale(.92)`} />
          ))}
        </svg>
      ))}
    </div>
  );
}
