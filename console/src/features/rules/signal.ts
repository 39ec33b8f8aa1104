// What a condition sees now: the mean of the fresh sensors of its type, and where they are. The engine resolves it in the
// same way (docs/semantics.md, signals); this is for people to look at, nothing is decided by it.
import { meanOf, type SensorReading } from '../../api/readings';
import { type PlaceNames, type SensorTypeName, samePlace } from '../../i18n/domain';
import type { Scope } from '../../screen/condition/places';
import { liesIn, outward } from './places';

export interface Signal {
  /** Where the sensors are: the place itself, or the nearest around it that has one. */
  place: Scope;
  /** Whether that is the place that was asked for. */
  own: boolean;
  registered: number;
  fresh: number;
  /** Null where no sensor is fresh. */
  mean: number | null;
  /** The last reading of any of them; null where there never was one. */
  heardAt: number | null;
}

/** Undefined where no sensor of the type is registered: such a condition is refused. */
export function signalAt(
  place: Scope,
  type: SensorTypeName,
  sensors: readonly SensorReading[],
  houses: PlaceNames,
  now: number,
): Signal | undefined {
  for (const candidate of outward(place, houses)) {
    const members = sensors.filter(
      (sensor) => sensor.type === type && liesIn(sensor.scope, candidate, houses),
    );
    if (members.length === 0) continue;
    const values = members.filter((sensor) => isFresh(sensor, now)).map(({ latestValue }) => latestValue);
    return {
      place: candidate,
      own: samePlace(candidate, place),
      registered: members.length,
      fresh: values.length,
      mean: meanOf(values),
      heardAt: members.reduce<number | null>(
        (latest, { at }) => (at === null ? latest : Math.max(latest ?? at, at)),
        null,
      ),
    };
  }
  return undefined;
}

function isFresh({ latestValue, at, staleAfterSec }: SensorReading, now: number): boolean {
  return latestValue !== null && (at === null || now < at + staleAfterSec * 1_000);
}
