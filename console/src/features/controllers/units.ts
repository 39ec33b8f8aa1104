// The units in which devices say what they measure, where there are several of a type: the first is the one that the farm keeps.
import { type SensorTypeName, sensorSpecs } from '../../i18n/domain';

const degrees = ['°C', '°F', 'K'];

const several: Partial<Record<SensorTypeName, readonly string[]>> = {
  temperature: degrees,
  soil_temperature: degrees,
  water_temperature: degrees,
  dew_point: degrees,
  ec: ['mS/cm', 'µS/cm'],
  light_intensity: ['lux', 'klux'],
  air_pressure: ['hPa', 'kPa', 'Pa'],
  line_pressure: ['bar', 'kPa', 'psi'],
  wind_speed: ['m/s', 'km/h'],
  voltage: ['V', 'mV'],
  current: ['A', 'mA'],
  power: ['W', 'kW'],
  energy: ['kWh', 'Wh'],
  distance: ['cm', 'mm', 'm'],
  volume: ['L', 'm³'],
};

/** The units of a type, with the one that a device said first where that is another. */
export function unitsOf(type: SensorTypeName, said: string | null): readonly string[] {
  const units = several[type] ?? [sensorSpecs[type].unit];
  return said === null || said === '' || units.includes(said) ? units : [said, ...units];
}
