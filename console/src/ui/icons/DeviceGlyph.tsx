// The machines of a farm as signs of one family: one weight of line, what moves filled. Each is drawn in a square of 24 from
// -12 to 12; the part that moves while it works is a drawing of its own over the other (DeviceIcon.tsx).
import classes from './DeviceIcon.module.css';

export type DeviceKind =
  | 'fan'
  | 'vent'
  | 'pump'
  | 'valve'
  | 'dosing_pump'
  | 'fogger'
  | 'heater'
  | 'light'
  | 'shade'
  | 'curtain'
  | 'mixing_pump'
  | 'siren'
  | 'sensor';

/** One blade of a fan around its hub at 0 0, 8 long. */
export const BLADE = 'M0 0C-3.4-.6-5.2-3.2-4.6-5.6C-4-8-.6-8.8 1-7C2.4-5.4 2.2-2.6 0 0Z';

/** What stands still of a machine. */
export function DeviceGlyph({ kind }: { kind: DeviceKind }) {
  switch (kind) {
    case 'fan':
      return <circle className={classes['line']} r="10.5" />;
    case 'vent':
      return (
        <>
          {/* The roof with its opening, and the flap on its hinge at the ridge. */}
          <path className={classes['line']} d="M-11 8L0-4.5L11 8M-11 8H11" />
          <g transform="translate(0 -5)">
            <path className={`${classes['flap']} ${classes['line']}`} d="M0 0L9.5 10.8" />
          </g>
        </>
      );
    case 'pump':
      return (
        <>
          <circle className={classes['line']} cx="-2" cy="2" r="7.5" />
          <path className={classes['line']} d="M-2-5.5H10.5M5.5 2H10.5M-7 10.5H3" />
        </>
      );
    case 'valve':
      return (
        <>
          <path className={classes['line']} d="M-8 0L-8 7.5L8 0V7.5L-8 0ZM0 3.5V-5" />
          <path className={`${classes['handle']} ${classes['line']}`} d="M-5.5-6H5.5" />
        </>
      );
    case 'dosing_pump':
      return (
        <>
          <path
            className={classes['line']}
            d="M-6-11H6M-4-11V-5.5L-8 2.5A3 3 0 0 0-5.3 6.5H5.3A3 3 0 0 0 8 2.5L4-5.5V-11"
          />
          <path className={classes['solid']} d="M-6.3.6H6.3L7 2.4Q7.6 5.4 5 5.6H-5Q-7.6 5.4-7 2.4Z" />
        </>
      );
    case 'light':
      return (
        <path
          className={classes['line']}
          d="M-3 7C-3 4-6.5 3-6.5-1.5A6.5 6.5 0 0 1 6.5-1.5C6.5 3 3 4 3 7ZM-2.5 10.5H2.5"
        />
      );
    case 'fogger':
      return (
        // A pipe with its nozzle; the fog is below it.
        <path className={classes['line']} d="M-11-9H11M0-9V-5M-3.5-5H3.5L1.5-1.5H-1.5Z" />
      );
    case 'heater':
      return (
        <path
          className={classes['line']}
          d="M0 11C-5 11-8 7.8-8 3.8C-8-.2-4.5-2.2-3.5-6C-1.5-4.5-.5-2.5-.8-.5C1.5-2.5 2.5-7 1.5-10.5C5-8.5 8-3.5 8 2.5C8 7.5 5 11 0 11Z"
        />
      );
    case 'shade':
      return (
        <>
          {/* A net below the roof, drawn to one side while it is off. */}
          <path className={classes['line']} d="M-11 10V-2L0-10L11-2V10" />
          <path className={classes['line']} d="M-11 1H-5" />
        </>
      );
    case 'curtain':
      return (
        <>
          {/* A side that rolls up. */}
          <path className={classes['line']} d="M-10-10V11M10-10V11M-10-10H10" />
          <g className={classes['roll']}>
            <path className={classes['line']} d="M-6.5 2.5H6.5" />
            <circle className={classes['solid']} cx="-6.5" cy="2.5" r="2" />
          </g>
        </>
      );
    case 'mixing_pump':
      return (
        <path
          className={classes['line']}
          d="M-9-5V8A2.5 2.5 0 0 0-6.5 10.5H6.5A2.5 2.5 0 0 0 9 8V-5M0-11V3"
        />
      );
    case 'siren':
      return <path className={classes['line']} d="M-6 7V1A6 6 0 0 1 6 1V7M-9 7H9V11H-9Z" />;
    case 'sensor':
      return (
        <>
          <circle className={classes['solid']} cy="3" r="2.4" />
          <path className={classes['line']} d="M0 5.5V11M-5-.5A6.4 6.4 0 0 1 5-.5M-9-4.5A12 12 0 0 1 9-4.5" />
        </>
      );
  }
}

/** Strokes, or a filled shape, that move while a machine works. */
const moving: Partial<Record<DeviceKind, { line: string } | { solid: string }>> = {
  vent: { line: 'M5 3.5V-1M9.5-1V-5.5' },
  valve: { line: 'M-8.5 10.8H8.5' },
  dosing_pump: { solid: 'M0 7.4C1.6 9.2 1.9 10 1.9 10.5A1.9 1.9 0 0 1-1.9 10.5C-1.9 10-1.6 9.2 0 7.4Z' },
  light: { line: 'M0-11.8V-10.6M-8.6-8.8L-7.6-7.9M8.6-8.8L7.6-7.9M-11.6-1H-10.2M11.6-1H10.2' },
  fogger: { line: 'M-7 3.5H-3M1 3.5H7M-10 7.5H-4M0 7.5H9M-6 11H5' },
  heater: {
    solid: 'M0 9C-2.4 9-3.8 7.4-3.8 5.4C-3.8 3.4-1.6 2.6-.6 0C1.8 2 3.8 3.8 3.8 5.8C3.8 7.6 2.4 9 0 9Z',
  },
  shade: { line: 'M-5 1H11M-2-2L1 1M3-2L6 1M-7-2L-4 1' },
  curtain: { line: 'M-4 8.5H5M2 5.5L5 8.5L2 11.5' },
  mixing_pump: { line: 'M-4.5 5H4.5M0 2.4V7.6' },
  siren: { line: 'M0-11.5V-9M-9-7.5L-7.2-5.8M9-7.5L7.2-5.8' },
};

/** What moves of a machine while it works; nothing of a sensor. */
export function MovingPart({ kind }: { kind: DeviceKind }) {
  if (kind === 'fan') {
    return (
      <>
        <Thirds className={classes['solid']} d={BLADE} />
        <circle className={classes['solid']} r="1.8" />
      </>
    );
  }
  if (kind === 'pump') {
    return (
      <g transform="translate(-2 2)">
        <Thirds className={classes['line']} d="M0 0C1.5-1 2-2.6 1.4-4.4" />
      </g>
    );
  }
  const part = moving[kind];
  if (!part) return null;
  return 'line' in part ? (
    <path className={classes['line']} d={part.line} />
  ) : (
    <path className={classes['solid']} d={part.solid} />
  );
}

function Thirds(path: { className: string | undefined; d: string }) {
  return [0, 120, 240].map((turn) => <path key={turn} {...path} transform={`rotate(${turn})`} />);
}
