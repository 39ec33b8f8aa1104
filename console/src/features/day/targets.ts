// What the curves are compared with: what the crops in a house want now, where its rules start and its alerts are raised.
import { cropAndVariety } from '../../api/crops';
import type { components } from '../../api/schema';
import type { Place, PlaceNames, SensorTypeName } from '../../i18n/domain';
import { sensorTable } from '../../i18n/sensor-types';
import { isWithin, limitsOf, type Rule, type RulePlaces } from '../../screen/place';
import type { Course, Limit, Target } from './paint';

type Schemas = components['schemas'];

const alertSensors = Object.fromEntries(
  sensorTable.map(({ alertName, type }) => [alertName, type]),
) as Record<Schemas['AlertSensor'], SensorTypeName>;

/** What the growing crops of a house want today, each range once. */
export function targetsOf(
  cycles: readonly Schemas['CropCycle'][],
  house: Place,
  houses: PlaceNames,
): Target[] {
  const found = new Map<string, Target>();
  for (const { state, stage, zoneId, ...crop } of cycles) {
    if (state !== 'GROWING' || !stage || !isWithin({ type: 'zone', zoneId }, house, houses)) continue;
    for (const { sensorType, min, max } of stage.setpoints) {
      const name = cropAndVariety(crop);
      const target = { crop: name, scale: sensorType, low: Number(min), high: Number(max) };
      found.set(`${name} ${sensorType} ${min} ${max}`, target);
    }
  }
  return [...found.values()];
}

/** The setpoints of these quantities in a house or around it, over today. */
export function coursesOf(
  setpoints: readonly Schemas['FarmSetpoint'][],
  types: readonly SensorTypeName[],
  house: Place,
  houses: PlaceNames,
): Course[] {
  return setpoints
    .filter(({ sensor_type: type }) => types.includes(type))
    .filter(({ scope }) => isWithin(scope, house, houses) || isWithin(house, scope, houses))
    .map(({ name, sensor_type, today }) => ({ name, scale: sensor_type, corners: today }));
}

/** Where active rules start and alerts that are watched are raised, for a house. */
export function limitsAt(
  types: readonly SensorTypeName[],
  rules: readonly Rule[],
  seen: readonly RulePlaces[],
  alerts: readonly Schemas['Alert'][],
  house: Place,
  houses: PlaceNames,
): Limit[] {
  const ofRules = types.flatMap((type) =>
    limitsOf(rules, seen, type, house, houses)
      .filter(({ starts }) => starts)
      .map(({ value }): Limit => ({ scale: type, value, kind: 'rule' })),
  );
  const ofAlerts = alerts
    .filter(({ isActive, scope }) => isActive && (!scope || isWithin(house, scope, houses)))
    .flatMap(({ conditions }) =>
      conditions.map(({ sensor, value }): Limit => ({ scale: alertSensors[sensor], value, kind: 'alert' })),
    )
    .filter(({ scale }) => types.some((type) => type === scale));
  return [...ofRules, ...ofAlerts];
}
