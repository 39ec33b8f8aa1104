// What a house's card shows, put together from what the server told of it.
import type { CropCycle } from '../../api/crops';
import { cropAndVariety } from '../../api/crops';
import type { LatestTelemetry, SensorReading } from '../../api/readings';
import type { components } from '../../api/schema';
import type { FarmVerdict, VerdictWord } from '../../api/verdict';
import type { PlaceNames } from '../../i18n/domain';
import { type Device, holderOf, reportedOf } from '../../screen/device';
import type { Rule } from '../../screen/place';
import { type VerdictLook, verdictLooks } from '../../ui/verdict';

/** What is measured, or follows from what is. */
export type Measured = keyof LatestTelemetry['houses'][string];

export interface HouseFacts {
  /** What grows there, each crop once; undefined while that is not known. */
  crops: string[] | undefined;
  /** The types of the sensors that are there, whether they report or not. */
  measured: ReadonlySet<string>;
  /** Without those that only measure. */
  devices: Device[];
}

export interface Told {
  sensors: readonly Pick<SensorReading, 'type' | 'scope'>[];
  devices: readonly Device[];
  polyhouses: PlaceNames | undefined;
  cycles: readonly CropCycle[] | undefined;
}

/** What the cards show of the readings: without the sensors' own values, each of which would draw every card anew. */
export const houseReadings = ({ houses, sensors }: LatestTelemetry) => ({
  houses,
  sensors: sensors.map(({ type, scope }) => ({ type, scope })),
});

const severity = Object.keys(verdictLooks) as VerdictLook[];

/** The houses as they are shown: the worst first, equals as the server has them. */
export function worstFirst<House extends { verdict: VerdictWord }>(houses: readonly House[]): House[] {
  return houses.toSorted((a, b) => severity.indexOf(a.verdict) - severity.indexOf(b.verdict));
}

export function factsOf(id: FarmVerdict['houses'][number]['polyhouseId'], told: Told): HouseFacts {
  const zones = new Set(told.polyhouses?.find((house) => house.id === id)?.zones.map((zone) => zone.id));
  const cycles = told.cycles?.filter(({ zoneId, state }) => state === 'GROWING' && zones.has(zoneId));
  return {
    crops: told.polyhouses && cycles && [...new Set(cycles.map(cropAndVariety))],
    measured: new Set(told.sensors.filter(({ scope }) => scope.polyhouseId === id).map(({ type }) => type)),
    devices: told.devices.filter(
      ({ scope, type, gone }) => scope.polyhouseId === id && type !== 'sensor' && !gone,
    ),
  };
}

/** On which side of what is wanted a value is; undefined where it is inside, or nothing is wanted. */
export function sideOf(
  value: number,
  wanted: components['schemas']['Range'] | null,
): 'above' | 'below' | undefined {
  if (!wanted) return undefined;
  if (value > wanted.high) return 'above';
  return value < wanted.low ? 'below' : undefined;
}

/** Whether a device is known to do something now. */
export function runs({ online, state }: Device): boolean {
  return online && state.on === true;
}

/** Whether nobody knows what a device does. */
export function isUnknown({ online, state }: Device): boolean {
  return !online || state.on === null;
}

/** Devices that do the same for the same reason, together. */
export function alike(devices: readonly Device[]): [Device, ...Device[]][] {
  const groups = new Map<string, [Device, ...Device[]]>();
  for (const device of devices) {
    const key = JSON.stringify([device.type, reportedOf(device), holderOf(device)]);
    const group = groups.get(key);
    if (group) group.push(device);
    else groups.set(key, [device]);
  }
  return [...groups.values()];
}

/** The rule that starts some of these devices next, as far as that is known: its trigger holds already. */
export function nextOf(
  rules: readonly Rule[],
  devices: readonly Device[],
): { rule: Rule; at: number } | undefined {
  const ids = new Set(devices.map(({ id }) => id));
  return rules
    .flatMap((rule) => {
      const { status, actions } = rule;
      const isMine = actions.some(({ device_id }) => ids.has(device_id));
      return isMine && status.phase === 'pending' ? [{ rule, at: status.hold_since + status.length }] : [];
    })
    .sort((a, b) => a.at - b.at)[0];
}
