// The latest reading of each sensor. A live message carries only the sensors that reported; means come in a message of their
// own, because the server alone knows which sensors count.
import type { components } from './schema';

type LiveEvents = components['schemas']['LiveEvents'];
export type LatestTelemetry = components['schemas']['LatestTelemetry'];
export type SensorReading = LatestTelemetry['sensors'][number];
export type LatestValue = LatestTelemetry['latest'][string];

/** Folds what sensors reported into what is known. One that the last load did not have comes with the next. */
export function foldTelemetry(known: LatestTelemetry, { sensors }: LiveEvents['telemetry']): LatestTelemetry {
  const reported = new Map(sensors.map((reading) => [reading.id, reading]));
  const fold = (sensor: SensorReading): SensorReading => {
    const now = reported.get(sensor.id);
    if (!now || (sensor.at !== null && now.at < sensor.at)) return sensor;
    return { ...sensor, latestValue: now.latestValue, at: now.at };
  };
  return { ...known, sensors: known.sensors.map(fold) };
}
