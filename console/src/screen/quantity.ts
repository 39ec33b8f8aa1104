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
  soil_temperature: 'inkHeat',
  water_temperature: 'inkHeat',
  leaf_wetness: 'inkWater',
  air_pressure: 'inkAir',
  line_pressure: 'inkWater',
  wind_speed: 'inkAir',
  wind_direction: 'inkAir',
  rain: 'inkWater',
  rain_rate: 'inkWater',
  flow: 'inkWater',
  volume: 'inkWater',
  par: 'inkLight',
  uv_index: 'inkLight',
  solar_radiation: 'inkLight',
  battery: 'brand',
  voltage: 'brand',
  current: 'brand',
  power: 'brand',
  energy: 'brand',
  frequency: 'brand',
  phase_present: 'brand',
  weight: 'brand',
  distance: 'inkWater',
  co_level: 'inkGas',
  nh3_level: 'inkGas',
  vapour_pressure_deficit: 'inkAir',
  dew_point: 'inkAir',
  wet_bulb: 'inkHeat',
  absolute_humidity: 'inkAir',
  daily_light_integral: 'inkLight',
  growing_degree_days: 'inkHeat',
  rate_of_change: 'brand',
  hours: 'brand',
  number: 'brand',
};

/** The hue of a quantity for CSS. */
export function quantityColour(type: keyof typeof quantityInks): string {
  return `var(${tokenVariable(quantityInks[type])})`;
}
