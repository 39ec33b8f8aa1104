// The outline of a polyhouse, for everything that is drawn with it: a house and what is in it, the logo, what stands while one
// waits, the sign-in page.

export interface ArchBox {
  left: number;
  right: number;
  /** Where it stands. */
  floor: number;
  /** Where the walls end and the arch begins. */
  eaves: number;
  /** Its highest point. */
  top: number;
}

/** The arch as a path, open below. */
export function archLine({ left, right, floor, eaves, top }: ArchBox): string {
  // A cubic curve whose handles stand above its ends is three quarters as high as they are.
  const handle = Math.round((eaves - ((eaves - top) * 4) / 3) * 100) / 100;
  return `M${left} ${floor}V${eaves}C${left} ${handle} ${right} ${handle} ${right} ${eaves}V${floor}`;
}

/** The air in it up to a height, with the swell that warm air has on top. */
export function airUpTo({ left, right, floor }: ArchBox, height: number): string {
  const wide = right - left;
  const swell = wide * 0.07;
  return (
    `M${left} ${height}C${left + wide * 0.3} ${height - swell} ${left + wide * 0.6} ${height + swell} ` +
    `${right} ${height - swell / 3}V${floor}H${left}Z`
  );
}

/** The logo's arch in a square of 64. */
export const LOGO: ArchBox = { left: 10, right: 54, floor: 49, eaves: 31, top: 10 };
/** How high the two layers of warm air stand in it. */
export const LOGO_HEAT = { warm: 28, hot: 38 };
