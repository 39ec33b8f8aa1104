import { describe, expect, it } from 'vitest';
import {
  foldTelemetry,
  type LatestTelemetry,
  type LiveReading,
  meanOf,
  type SensorReading,
} from './readings';

function sensor(
  id: string,
  type: SensorReading['type'],
  latestValue: number | null,
  at: number | null = 1_000,
): SensorReading {
  return {
    id,
    name: id,
    type,
    unit: '',
    latestValue,
    at,
    scope: { type: 'farm' },
    staleAfterSec: 60,
    controller: null,
  };
}

const known: LatestTelemetry = {
  sensors: [sensor('a', 'ph', 6), sensor('b', 'ph', 7), sensor('c', 'ec', 1.2)],
  latest: {
    ph: { value: 6.5, unit: '', at: 1_000, worst: { name: 'Tank B', value: 7 } },
    ec: { value: 1.2, unit: 'mS/cm', at: 1_000, worst: null },
  },
};

function live(id: string | undefined, type: string, latestValue: number | null, at = 2_000): LiveReading {
  return { type, latestValue, at, ...(id ? { id } : {}) };
}

const fold = (...sensors: LiveReading[]) => foldTelemetry(known, { sensors });

describe('meanOf', () => {
  it.each([
    [[6, 7], 6.5],
    [[6, null, 7, undefined], 6.5],
    [[1.005, 1.006], 1.01],
    [[1 / 3], 0.33],
    [[-0.001], 0],
    [[Number.NaN, 4], 4],
    [[null], null],
    [[], null],
  ])('of %j is %j', (values, mean) => {
    expect(meanOf(values)).toBe(mean);
  });
});

describe('foldTelemetry', () => {
  it('takes the mean over all sensors of the type, not over the message', () => {
    expect(fold(live('b', 'ph', 8)).latest['ph']).toMatchObject({ value: 7, at: 2_000 });
  });

  it('keeps other types, and what only the server knows', () => {
    const folded = fold(live('b', 'ph', 8));
    expect(folded.latest['ec']).toBe(known.latest['ec']);
    expect(folded.latest['ph']?.worst).toEqual({ name: 'Tank B', value: 7 });
  });

  it('leaves a null reading out of the mean', () => {
    expect(fold(live('b', 'ph', null)).latest['ph']?.value).toBe(6);
  });

  it('has no value for a type when its last reading goes', () => {
    expect(fold(live('c', 'ec', null)).latest['ec']).toBeUndefined();
  });

  it('counts a sensor that it has not met', () => {
    expect(fold(live('new', 'ph', 8)).latest['ph']?.value).toBe(7);
  });

  it('leaves out a sensor that has fallen silent', () => {
    expect(fold(live('b', 'ph', 8, 61_000)).latest['ph']?.value).toBe(7);
    expect(fold(live('b', 'ph', 8, 61_001)).latest['ph']?.value).toBe(8);
  });

  it('ignores a reading older than the one it has', () => {
    expect(fold(live('b', 'ph', 9, 500)).latest['ph']?.value).toBe(6.5);
  });

  it('compares types without case', () => {
    expect(fold(live('b', 'pH', 8)).latest['ph']?.value).toBe(7);
  });

  it('takes a message without ids as all that is known of its type', () => {
    expect(fold(live(undefined, 'pH', 5), live(undefined, 'pH', 6)).latest['ph']?.value).toBe(5.5);
  });

  it('does not change what it was given', () => {
    const before = structuredClone(known);
    fold(live('b', 'ph', 8), live('c', 'ec', null));
    expect(known).toEqual(before);
  });

  it('remembers over several partial messages', () => {
    const first = foldTelemetry(known, { sensors: [live('a', 'ph', 5)] });
    const second = foldTelemetry(first, { sensors: [live('b', 'ph', 9, 3_000)] });
    expect(second.latest['ph']).toMatchObject({ value: 7, at: 3_000 });
  });
});
