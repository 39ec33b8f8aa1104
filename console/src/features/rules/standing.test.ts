// Where a rule stands, what its conditions see, whether its devices obey, and what is hazardous about it.
import { describe, expect, it } from 'vitest';
import type { SensorReading } from '../../api/readings';
import { effectOf } from './claims';
import { newAction, newFields, type RuleFields } from './form';
import { hazardsOf } from './hazards';
import { isTrue, standingOf } from './phase';
import { doser, draft, fan, houses, running } from './samples';
import { signalAt } from './signal';

const NOW = Date.parse('2026-11-21T06:35:00Z');

function sensor(change: Partial<SensorReading> = {}): SensorReading {
  return {
    id: 't1',
    name: null,
    type: 'temperature',
    unit: '°C',
    latestValue: 31,
    at: NOW - 1_000,
    staleAfterSec: 30,
    scope: { type: 'polyhouse', polyhouseId: 'p1' },
    controller: null,
    ...change,
  };
}

describe('where a rule stands', () => {
  const pending = (hold: number, samples = 2) => ({
    ...running,
    status: {
      phase: 'pending',
      hold_since: NOW - hold * 1_000,
      length: 300_000,
      samples,
      samples_needed: 2,
    } as const,
  });

  it('is a draft or disabled before anything else', () => {
    expect(standingOf(draft, NOW).kind).toBe('draft');
    expect(standingOf({ ...running, mode: 'disabled' }, NOW).kind).toBe('disabled');
    expect(standingOf({ ...draft, mode: 'disabled' }, NOW).kind).toBe('draft');
    expect(standingOf({ ...draft, deployed: true }, NOW).kind).toBe('idle');
  });

  it('holds for so long of so long', () => {
    expect(standingOf(pending(220), NOW)).toEqual({
      kind: 'holding',
      elapsed: 220,
      total: 300,
      samplesMissing: 0,
      blocked: false,
    });
    expect(standingOf(pending(400, 0), NOW, true)).toMatchObject({
      elapsed: 300,
      samplesMissing: 2,
      blocked: true,
    });
    // This phone's clock is behind the server's.
    expect(standingOf(pending(-3), NOW)).toMatchObject({ elapsed: 0 });
  });

  it('runs, and tells how near its end is', () => {
    const since = NOW - 60_000;
    expect(standingOf({ ...running, status: { phase: 'running', since } }, NOW)).toEqual({
      kind: 'running',
      since,
    });
    const ending = { hold_since: NOW - 10_000, length: 90_000, samples: 1, samples_needed: 2 };
    expect(
      standingOf({ ...running, status: { phase: 'running', since, ending, patience_ends_at: NOW + 1 } }, NOW),
    ).toEqual({ kind: 'running', since, ending: { elapsed: 10, total: 90 }, patienceEndsAt: NOW + 1 });
  });
});

describe('a condition', () => {
  it.each([
    ['gt', 30, 30, false],
    ['gt', 30, 30.01, true],
    ['gte', 30, 30, true],
    ['lt', 30, 30, false],
    ['lte', 30, 30, true],
    ['eq', 30, 30.04, true],
    ['eq', 30, 30.06, false],
  ] as const)('%s %d of %d: %s', (operator, value, mean, expected) => {
    expect(isTrue({ operator, value }, mean)).toBe(expected);
  });

  it('between counts its ends', () => {
    const between = { operator: 'between', value: 20, value_max: 25 } as const;
    expect([19.9, 20, 25, 25.1].map((mean) => isTrue(between, mean))).toEqual([false, true, true, false]);
  });
});

describe('what a condition sees', () => {
  const zone = { type: 'zone', zoneId: 'z1' } as const;
  const at = (sensors: SensorReading[], place: Parameters<typeof signalAt>[0] = zone) =>
    signalAt(place, 'temperature', sensors, houses, NOW);

  it('is the mean of the fresh sensors in the place', () => {
    const own = sensor({ id: 't2', latestValue: 33, scope: { ...zone, polyhouseId: 'p1' } });
    expect(at([sensor(), own])).toMatchObject({ own: true, registered: 1, fresh: 1, mean: 33 });
    expect(at([sensor(), own], { type: 'polyhouse', polyhouseId: 'p1' })).toMatchObject({
      registered: 2,
      mean: 32,
    });
  });

  it('is that of the nearest place around where there is no sensor, fresh or not', () => {
    expect(at([sensor()])).toMatchObject({ own: false, place: { polyhouseId: 'p1' }, mean: 31 });
    const silent = sensor({ latestValue: null, at: null, scope: { ...zone, polyhouseId: 'p1' } });
    expect(at([sensor(), silent])).toMatchObject({ own: true, registered: 1, fresh: 0, mean: null });
    expect(at([sensor({ at: NOW - 30_000 })])).toMatchObject({ registered: 1, fresh: 0 });
    expect(at([sensor({ type: 'humidity' })])).toBeUndefined();
  });
});

describe('a device of a running rule', () => {
  const claim = (rule: string) => ({ rule, at: 0, priority: 5, setting: { action: 'on' } as const });
  const claimed = { ...fan, claims: [claim('rule-1')] };
  const { state } = fan;
  it.each([
    ['obeys', claimed, { kind: 'obeyed' }],
    ['is not claimed', fan, undefined],
    ['is offline', { ...claimed, online: false }, { kind: 'waits', why: 'offline' }],
    ['is locked', { ...claimed, state: { ...state, lock: 'max_on' } }, { kind: 'waits', why: 'locked' }],
    [
      'is in a person’s hand',
      { ...claimed, state: { ...state, mode: 'manual' as const } },
      { kind: 'waits', why: 'manual' },
    ],
    [
      'is in safety mode',
      { ...claimed, state: { ...state, mode: 'safety' as const, safety: true } },
      { kind: 'waits', why: 'safety' },
    ],
    [
      'listens to a stronger rule',
      { ...claimed, claims: [claim('rule-2'), claim('rule-1')] },
      { kind: 'outranked', by: 'Dry East' },
    ],
    [
      'listens to a rule that is not known',
      { ...claimed, claims: [claim('rule-9'), claim('rule-1')] },
      { kind: 'outranked', by: 'rule-9' },
    ],
  ])('%s', (_, device, effect) => {
    expect(effectOf('rule-1', device, [running, draft])).toEqual(effect);
  });
});

describe('hazards', () => {
  const world = { sensors: [sensor()], devices: [fan, doser], houses, farmId: 'f1', now: NOW };
  const fresh = newFields(houses);
  function rule(change: Partial<RuleFields> = {}): RuleFields {
    return { ...fresh, trigger: { ...fresh.trigger, value: '35' }, ...change };
  }
  const does = (device_id: string, action: RuleFields['actions'][number]['command']['action']) => [
    { ...newAction([]), device_id, command: { action, value: '' } },
  ];
  const kinds = (fields: RuleFields, change: Partial<typeof world> = {}) =>
    hazardsOf(fields, { ...world, ...change }).map(({ kind }) => kind);

  it('are none for a fan with a sensor', () => {
    expect(kinds(rule({ actions: does('fan-1', 'on') }))).toEqual([]);
    expect(hazardsOf(rule(), { ...world, sensors: undefined })).toEqual([]);
  });

  it('are sensors that are missing, silent or elsewhere', () => {
    expect(kinds(rule(), { sensors: [] })).toEqual(['no_sensor']);
    expect(kinds(rule(), { sensors: [sensor({ latestValue: null })] })).toEqual(['silent']);
    expect(kinds(rule({ scope: 'zone:z1' }))).toEqual(['elsewhere']);
    expect(kinds(rule({ scope: 'zone:z1' }), { sensors: [sensor({ latestValue: null })] })).toEqual([
      'elsewhere',
      'silent',
    ]);
    // Said once for trigger and stop condition.
    expect(kinds(rule({ stops: true }), { sensors: [] })).toEqual(['no_sensor']);
  });

  it('is a pump that nothing stops', () => {
    const pumping = rule({ actions: does('doser', 'set_flow_rate') });
    expect(hazardsOf(pumping, world)).toEqual([{ kind: 'pump', device: 'Doser', clearSec: 60 }]);
    expect(
      kinds({ ...pumping, stops: true, stop_condition: { ...fresh.stop_condition, value: '30' } }),
    ).toEqual([]);
    expect(kinds(rule({ actions: does('doser', 'pulse') }))).toEqual([]);
    expect(kinds(rule({ actions: does('doser', 'off') }))).toEqual([]);
  });

  it.each([
    ['gt', '35', 'lt', '30', false],
    ['gt', '35', 'lt', '35', false],
    ['gt', '35', 'lt', '35.1', true],
    ['gte', '35', 'lte', '35', true],
    ['gte', '35', 'lt', '35', false],
    ['lt', '10', 'gt', '9', true],
    ['eq', '10', 'eq', '10', true],
    ['gt', '35', 'lt', '', false],
  ] as const)('is overlap: %s %s against %s %s: %s', (operator, value, stopOperator, stopValue, expected) => {
    const fields = rule({
      trigger: { ...fresh.trigger, operator, value },
      stops: true,
      stop_condition: { ...fresh.stop_condition, operator: stopOperator, value: stopValue },
    });
    expect(kinds(fields)).toEqual(expected ? ['overlap'] : []);
    // Different quantities may well be true together.
    const { stop_condition } = fields;
    expect(
      kinds(
        { ...fields, stop_condition: { ...stop_condition, sensor_type: 'humidity' } },
        { sensors: [sensor(), sensor({ id: 'h', type: 'humidity' })] },
      ),
    ).toEqual([]);
  });
});
