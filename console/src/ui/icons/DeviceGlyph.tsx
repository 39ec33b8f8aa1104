// The machines of a farm as signs of one family: one weight of line, what moves filled. Each is drawn in a square of 24 from
// -12 to 12; the part that moves while it works has the class "moves" of its kind.
import classes from './DeviceIcon.module.css';

export type DeviceKind = 'fan' | 'vent' | 'pump' | 'valve' | 'dosing_pump' | 'light' | 'sensor';

/** One blade of a fan around its hub at 0 0, 8 long. */
export const BLADE = 'M0 0C-3.4-.6-5.2-3.2-4.6-5.6C-4-8-.6-8.8 1-7C2.4-5.4 2.2-2.6 0 0Z';

const thirds = [0, 120, 240];

export function DeviceGlyph({ kind }: { kind: DeviceKind }) {
  const moves = `${classes['moves']} ${classes[kind]}`;
  switch (kind) {
    case 'fan':
      return (
        <>
          <circle className={classes['line']} r="10.5" />
          <g className={moves}>
            {thirds.map((turn) => (
              <path key={turn} className={classes['solid']} d={BLADE} transform={`rotate(${turn})`} />
            ))}
            <circle className={classes['solid']} r="1.8" />
          </g>
        </>
      );
    case 'vent':
      return (
        <>
          {/* The roof with its opening, and the flap on its hinge at the ridge. */}
          <path className={classes['line']} d="M-11 8L0-4.5L11 8M-11 8H11" />
          <g transform="translate(0 -5)">
            <path className={`${classes['flap']} ${classes['line']}`} d="M0 0L9.5 10.8" />
          </g>
          <path className={`${moves} ${classes['line']}`} d="M5 3.5V-1M9.5-1V-5.5" />
        </>
      );
    case 'pump':
      return (
        <>
          <circle className={classes['line']} cx="-2" cy="2" r="7.5" />
          <path className={classes['line']} d="M-2-5.5H10.5M5.5 2H10.5M-7 10.5H3" />
          <g transform="translate(-2 2)">
            <g className={moves}>
              {thirds.map((turn) => (
                <path
                  key={turn}
                  className={classes['line']}
                  d="M0 0C1.5-1 2-2.6 1.4-4.4"
                  transform={`rotate(${turn})`}
                />
              ))}
            </g>
          </g>
        </>
      );
    case 'valve':
      return (
        <>
          <path className={classes['line']} d="M-8 0L-8 7.5L8 0V7.5L-8 0ZM0 3.5V-5" />
          <path className={`${classes['handle']} ${classes['line']}`} d="M-5.5-6H5.5" />
          <path className={`${moves} ${classes['line']}`} d="M-11.5 10.8H11.5" />
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
          <path
            className={`${moves} ${classes['solid']}`}
            d="M0 7.4C1.6 9.2 1.9 10 1.9 10.5A1.9 1.9 0 0 1-1.9 10.5C-1.9 10-1.6 9.2 0 7.4Z"
          />
        </>
      );
    case 'light':
      return (
        <>
          <path
            className={classes['line']}
            d="M-3 7C-3 4-6.5 3-6.5-1.5A6.5 6.5 0 0 1 6.5-1.5C6.5 3 3 4 3 7ZM-2.5 10.5H2.5"
          />
          <path
            className={`${moves} ${classes['line']}`}
            d="M0-11.8V-10.6M-8.6-8.8L-7.6-7.9M8.6-8.8L7.6-7.9M-11.6-1H-10.2M11.6-1H10.2"
          />
        </>
      );
    case 'sensor':
      return (
        <>
          <circle className={classes['solid']} cy="3" r="2.4" />
          <path className={classes['line']} d="M0 5.5V11M-5-.5A6.4 6.4 0 0 1 5-.5M-9-4.5A12 12 0 0 1 9-4.5" />
        </>
      );
  }
}
