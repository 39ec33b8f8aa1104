// The latest reading of each sensor and their mean per type. A live message often carries only some of a farm's sensors, so
// the last value of every sensor is kept by its id and the mean is taken over all of them: a message about one tank must
// not look like the farm's mean.
import type { components } from './schema';

export type LatestTelemetry = components['schemas']['LatestTelemetry'];
export type SensorReading = LatestTelemetry['sensors'][number];
export type LatestValue = LatestTelemetry['latest'][string];

/** One item of the socket's `telemetry` event: id and time are there from our own server, but not promised. */
export interface LiveReading {
  type: string;
  unit?: string | null;
  latestValue: number | null;
  id?: string | null;
  /** Milliseconds since 1970. */
  at?: number | null;
}

/** The socket's `telemetry` event. */
export interface TelemetryMessage {
  sensors: LiveReading[];
}

/** Mean of the values that are there, rounded to 2 decimals; null when there is none. */
export function meanOf(values: readonly (number | null | undefined)[]): number | null {
  const present = values.filter(
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  );
  if (present.length === 0) return null;
  const mean = present.reduce((sum, value) => sum + value, 0) / present.length;
  // `+ 0` turns a rounded -0 into 0.
  return Math.round(mean * 100) / 100 + 0;
}

/** Sensor types are compared without case: the field says "pH", the api "ph". */
export function typeKey(type: string): string {
  return type.toLowerCase();
}

/** Folds a live message into what is known. Types that the message does not name stay as they are. */
export function foldTelemetry(known: LatestTelemetry, message: TelemetryMessage): LatestTelemetry {
  const sensors = new Map(known.sensors.map((sensor) => [sensor.id, sensor]));
  const touched = new Map<string, LiveReading[]>();
  for (const item of message.sensors) {
    const key = typeKey(item.type);
    touched.set(key, [...(touched.get(key) ?? []), item]);
    const before = item.id ? sensors.get(item.id) : undefined;
    // A sensor that the last load did not have joins with the next one; until then its value counts only in this mean.
    if (!before || isOlder(item.at, before.at)) continue;
    sensors.set(before.id, { ...before, latestValue: item.latestValue, at: item.at ?? before.at });
  }
  const all = [...sensors.values()];
  const latest: LatestTelemetry['latest'] = { ...known.latest };
  for (const [key, items] of touched) {
    const values = valuesOf(key, items, all);
    const mean = meanOf(values.map((item) => item.latestValue));
    const before = latest[key];
    if (mean === null) {
      delete latest[key];
      continue;
    }
    latest[key] = {
      value: mean,
      unit: items[0]?.unit ?? before?.unit ?? '',
      at: newest(values.map((item) => item.at)) ?? before?.at ?? Date.now(),
      // Only the server knows which reservoir is worst; the next load says it again.
      worst: before?.worst ?? null,
    };
  }
  return { ...known, sensors: all, latest };
}

/** All that is known of a type: every sensor's last value and the message's newcomers. */
function valuesOf(
  key: string,
  items: LiveReading[],
  sensors: SensorReading[],
): Pick<LiveReading, 'latestValue' | 'at'>[] {
  // Without ids there is nothing to remember by: the message itself is then all that is known of the type.
  if (items.some((item) => !item.id)) return items;
  const known = sensors.filter(
    (sensor) => typeKey(sensor.type) === key && !isStale(sensor, newest(items.map((item) => item.at))),
  );
  const newcomers = items.filter((item) => !known.some((sensor) => sensor.id === item.id));
  return [...known, ...newcomers];
}

/** A sensor that has been silent for too long no longer counts, as on the server. */
function isStale(sensor: SensorReading, now: number | undefined): boolean {
  return typeof sensor.at === 'number' && now !== undefined && now - sensor.at > sensor.staleAfterSec * 1_000;
}

function isOlder(a: number | null | undefined, b: number | null | undefined): boolean {
  return typeof a === 'number' && typeof b === 'number' && a < b;
}

function newest(times: readonly (number | null | undefined)[]): number | undefined {
  const known = times.filter((time): time is number => typeof time === 'number');
  return known.length === 0 ? undefined : Math.max(...known);
}
