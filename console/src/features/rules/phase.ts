// Where a rule stands, as people are told: in which words, and how far along.
import type { Rule } from './queries';

export type Standing =
  | { kind: 'draft' }
  | { kind: 'disabled' }
  | { kind: 'idle' }
  /** The trigger holds, for so long of so long; then so many readings may still be needed. */
  | { kind: 'holding'; elapsed: number; total: number; samplesMissing: number; blocked: boolean }
  | { kind: 'running'; since: number; ending?: { elapsed: number; total: number }; patienceEndsAt?: number };

/** Seconds of a hold so far, and in all. The clocks of server and phone differ a little: never less than none or more than all. */
function progress(since: number, lengthMs: number, now: number): { elapsed: number; total: number } {
  const total = lengthMs / 1_000;
  return { elapsed: Math.min(Math.max((now - since) / 1_000, 0), total), total };
}

/** `stopNow`: whether the stop condition is true by what the sensors say now (undefined: not known). */
export function standingOf(rule: Rule, now: number, stopNow?: boolean): Standing {
  if (!rule.deployed) return { kind: 'draft' };
  if (rule.mode === 'disabled') return { kind: 'disabled' };
  const { status } = rule;
  switch (status.phase) {
    case 'idle':
      return { kind: 'idle' };
    case 'pending':
      return {
        kind: 'holding',
        ...progress(status.hold_since, status.length, now),
        samplesMissing: Math.max(0, status.samples_needed - status.samples),
        blocked: stopNow === true,
      };
    case 'running':
      return {
        kind: 'running',
        since: status.since,
        ...(status.ending && {
          ending: progress(status.ending.hold_since, status.ending.length, now),
        }),
        ...(typeof status.patience_ends_at === 'number' && { patienceEndsAt: status.patience_ends_at }),
      };
  }
}
