// The colours of the drawing: the roles of the scheme that is on, and of each curve the hue of its quantity. Curves of one
// quantity differ in depth (each has its own dashes besides).
import { quantityInks } from '../../screen/quantity';
import { usePalette } from '../../ui/scheme';
import { mixed, type Palette } from '../../ui/tokens';
import type { Inks } from './paint';

/** How far the second, third ... curve of a quantity is on its way to the ink: still told apart, and no less legible. */
const DEPTHS = [0, 0.45, 0.2, 0.65, 0.32, 0.8];

/** The inks for curves of these quantities, in their order. */
export function inksOf(palette: Palette, quantities: readonly string[]): Inks {
  const curves = quantities.map((quantity, index) => {
    const before = quantities.slice(0, index).filter((each) => each === quantity).length;
    const hue = palette[quantityInks[quantity as keyof typeof quantityInks] ?? 'brand'];
    return mixed(hue, palette.ink, DEPTHS[before % DEPTHS.length] ?? 0);
  });
  return { ...palette, curves };
}

export function useInks(quantities: readonly string[] = []): Inks {
  return inksOf(usePalette(), quantities);
}
