// What growers usually say of each quantity: the values that a thumb reaches first. They decide nothing.
import { type OperatorName, type SensorTypeName, sensorSpecs } from '../../i18n/domain';
import { nearest } from '../../ui/wheel';

interface Usual {
  /** Of the wheel. */
  step: number;
  above: readonly number[];
  below: readonly number[];
  /** How far a stop condition usually stands from its trigger. */
  gap: number;
  /** How much of the quantity a gauge shows. */
  width: number;
}

const said: Partial<Record<SensorTypeName, Usual>> = {
  temperature: { step: 0.5, above: [28, 30, 32, 35, 38], below: [8, 10, 12, 15, 18], gap: 3, width: 24 },
  humidity: { step: 1, above: [75, 80, 85, 90], below: [50, 55, 60, 65, 70], gap: 10, width: 60 },
  soil_moisture: { step: 1, above: [40, 50, 60], below: [25, 30, 35, 40], gap: 10, width: 50 },
  ph: { step: 0.1, above: [6.5, 6.7, 7], below: [5.5, 5.8, 6], gap: 0.3, width: 3 },
  ec: { step: 0.1, above: [1.8, 2, 2.5, 3], below: [1, 1.2, 1.5, 1.8], gap: 0.3, width: 2.5 },
  reservoir_level: { step: 1, above: [75, 80, 90, 95], below: [15, 20, 30, 40], gap: 20, width: 80 },
  light_intensity: {
    step: 500,
    above: [30_000, 40_000, 50_000, 60_000],
    below: [5_000, 10_000, 20_000],
    gap: 5_000,
    width: 50_000,
  },
  co2_level: { step: 10, above: [1_000, 1_200, 1_500], below: [350, 400, 600, 800], gap: 100, width: 1_000 },
  soil_temperature: { step: 0.5, above: [28, 30, 32], below: [12, 15, 18], gap: 3, width: 24 },
  water_temperature: { step: 0.5, above: [25, 28, 30], below: [12, 15, 18], gap: 3, width: 24 },
  air_pressure: { step: 1, above: [1_000, 1_010, 1_020], below: [980, 990, 1_000], gap: 5, width: 60 },
  voltage: { step: 1, above: [250, 440, 460], below: [180, 200, 360, 380], gap: 10, width: 200 },
  frequency: { step: 0.1, above: [50.5, 51], below: [49, 49.5], gap: 0.3, width: 4 },
};

/** Of what nobody has said anything: quarters of its range. */
export function usualOf(type: SensorTypeName): Usual {
  const { min, max } = sensorSpecs[type];
  const width = max - min;
  const quarters = [0.25, 0.5, 0.75].map((part) => min + width * part);
  return said[type] ?? { step: width / 100, above: quarters, below: quarters, gap: width / 10, width };
}

/** To what the server keeps: sums of decimals have a tail of their own. */
export const rounded = (value: number) => Math.round(value * 1_000_000) / 1_000_000;

/** Whether a comparison is met by what is high. */
export const isAbove = (operator: OperatorName) => operator === 'gt' || operator === 'gte';

export function usualValues(type: SensorTypeName, operator: OperatorName): readonly number[] {
  const { above, below } = usualOf(type);
  return operator === 'lt' || operator === 'lte' ? below : above;
}

/** Where a wheel stands before anything is said. */
export function startValue(type: SensorTypeName, operator: OperatorName): number {
  const values = usualValues(type, operator);
  return values[Math.floor(values.length / 2)] ?? 0;
}

/** How long conditions usually hold, in seconds. */
export const HOLDS = [60, 120, 300, 600, 900, 1_800, 3_600] as const;
/** How long actions usually wait. */
export const DELAYS = [0, 5, 10, 30, 60, 300] as const;

/** How long one condition among several usually holds by itself. */
export const BRANCH_HOLDS = [0, 60, 300, 600, 1_800] as const;
/** How long runs and actions usually last. */
export const RUNS = [0, 30, 60, 300, 600, 900, 1_800, 3_600] as const;
/** How much longer than its rule an action usually lasts. */
export const LINGERS = [0, 3, 5, 10, 30] as const;
/** How long a device usually stays where a curve put it, at the least. */
export const LEAST = [0, 30, 60, 120, 300] as const;
/** How long a setpoint usually takes to its next value, in minutes. */
export const RAMPS = [0, 15, 30, 60, 120] as const;
/** How far apart starts usually are. */
export const EVERY = [600, 900, 1_200, 1_800, 3_600, 7_200] as const;
/** How late a missed start is usually made up for. */
export const LATE = [0, 600, 1_800, 3_600] as const;

/** The values of a stop condition that a thumb reaches first: near where the trigger starts, on its other side. */
export function stopValues(type: SensorTypeName, operator: OperatorName, start: number): readonly number[] {
  const { gap, step } = usualOf(type);
  const away = operator === 'gt' || operator === 'gte' ? 1 : -1;
  return [1 / 3, 2 / 3, 1, 5 / 3].map((part) =>
    nearest(start + away * part * gap, { ...sensorSpecs[type], step }),
  );
}
