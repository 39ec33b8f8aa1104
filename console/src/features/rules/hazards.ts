// What a person should know before a rule runs, though nothing forbids it: conditions that no sensor feeds, a pump that
// nothing stops, a stop condition that is true when the trigger is.
import type { SensorReading } from '../../api/readings';
import { type PlaceNames, type SensorTypeName, samePlace, sensorSpecs } from '../../i18n/domain';
import type { Scope } from '../../screen/condition/places';
import { numberIn, secondsIn } from '../../screen/condition/span';
import { MAX_CLEAR_SEC, type Operator, type RuleFields, scopesOf } from './form';
import type { Device } from './queries';
import { signalAt } from './signal';

export type Hazard =
  /** No sensor of the type anywhere: the server refuses such a rule. */
  | { kind: 'no_sensor'; type: SensorTypeName; place: Scope }
  /** There are sensors, and none reports. */
  | { kind: 'silent'; type: SensorTypeName; place: Scope }
  /** There is none in the place itself: those around it count. */
  | { kind: 'elsewhere'; type: SensorTypeName; place: Scope; used: Scope }
  /** A pump that runs until the trigger has not been true for so long. */
  | { kind: 'pump'; device: string; clearSec: number }
  /** Trigger and stop condition can be true together: the rule is then not started. */
  | { kind: 'overlap' };

interface World {
  sensors: readonly SensorReading[] | undefined;
  devices: readonly Device[];
  houses: PlaceNames;
  farmId: string;
  now: number;
}

export function hazardsOf(fields: RuleFields, world: World): Hazard[] {
  const scopes = scopesOf(fields, world);
  const hazards = sensorHazards(fields.trigger.sensor_type, scopes.trigger, world);
  if (fields.stops) {
    for (const hazard of sensorHazards(fields.stop_condition.sensor_type, scopes.stop, world))
      if (!hazards.some((known) => JSON.stringify(known) === JSON.stringify(hazard))) hazards.push(hazard);
    if (
      fields.stop_condition.sensor_type === fields.trigger.sensor_type &&
      samePlace(scopes.stop, scopes.trigger) &&
      overlap(fields)
    )
      hazards.push({ kind: 'overlap' });
    return hazards;
  }
  const clearSec = Math.min(secondsIn(fields.trigger.duration_sec), MAX_CLEAR_SEC);
  const pumps = new Set<string>();
  for (const { device_id, command } of fields.actions) {
    const { action } = command;
    const device = world.devices.find(({ id }) => id === device_id);
    // A pulse ends by itself, and off is off.
    if (!device || action === '' || action === 'off' || action === 'pulse') continue;
    if (device.type === 'pump' || device.type === 'dosing_pump') pumps.add(device.name);
  }
  return [
    ...hazards,
    ...[...pumps].map(
      (device): Hazard => ({
        kind: 'pump',
        device,
        clearSec: Number.isNaN(clearSec) ? MAX_CLEAR_SEC : clearSec,
      }),
    ),
  ];
}

function sensorHazards(type: SensorTypeName, place: Scope, world: World): Hazard[] {
  // Before the readings are known nothing can be said about them.
  if (!world.sensors) return [];
  const signal = signalAt(place, type, world.sensors, world.houses, world.now);
  if (!signal) return [{ kind: 'no_sensor', type, place }];
  return [
    ...(signal.own ? [] : [{ kind: 'elsewhere', type, place, used: signal.place } as const]),
    ...(signal.fresh > 0 ? [] : [{ kind: 'silent', type, place: signal.place } as const]),
  ];
}

interface Span {
  low: number;
  high: number;
  /** Whether the ends themselves belong to it. */
  withLow: boolean;
  withHigh: boolean;
}

/** The means of which a condition is true. */
function spanOf(operator: Operator, value: number, top: number, type: SensorTypeName): Span {
  const { min, max } = sensorSpecs[type];
  const all = { low: min, high: max, withLow: true, withHigh: true };
  switch (operator) {
    case 'gt':
      return { ...all, low: value, withLow: false };
    case 'gte':
      return { ...all, low: value };
    case 'lt':
      return { ...all, high: value, withHigh: false };
    case 'lte':
      return { ...all, high: value };
    case 'eq':
      return { ...all, low: value, high: value };
    case 'between':
      return { ...all, low: value, high: top };
  }
}

function overlap({ trigger, stop_condition: stop }: RuleFields): boolean {
  const [a, b] = [trigger, stop].map((fields) =>
    spanOf(fields.operator, numberIn(fields.value), numberIn(fields.value_max), trigger.sensor_type),
  );
  if (!a || !b) return false;
  const low = Math.max(a.low, b.low);
  const high = Math.min(a.high, b.high);
  // With a value missing both comparisons are false.
  if (low < high) return true;
  const holds = (span: Span) => (span.low < low || span.withLow) && (span.high > high || span.withHigh);
  return low === high && holds(a) && holds(b);
}
