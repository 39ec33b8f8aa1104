// Where a rule stands, and whether its devices obey.
import { describe, expect, it } from 'vitest';
import { effectOf } from './claims';
import { standingOf } from './phase';
import { draft, fan, running } from './samples';

const NOW = Date.parse('2026-11-21T06:35:00Z');

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
