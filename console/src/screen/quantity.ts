// The hue of what is measured: the same in every drawing and beside every number.
import type { SensorTypeName } from '../i18n/domain';
import { type Token, tokenVariable } from '../ui/tokens';

export const quantityInks: Record<SensorTypeName | 'vpd', Token> = {
  temperature: 'inkHeat',
  humidity: 'inkAir',
  vpd: 'inkAir',
  soil_moisture: 'inkWater',
  reservoir_level: 'inkWater',
  light_intensity: 'inkLight',
  ec: 'inkFeed',
  ph: 'inkAcid',
  co2_level: 'inkGas',
};

/** The hue of a quantity for CSS. */
export function quantityColour(type: keyof typeof quantityInks): string {
  return `var(${tokenVariable(quantityInks[type])})`;
}
