// Whether a device does what a running rule wants of it, and if not, who or what comes first (precedence: locks, safety,
// people, rules, rest).
import type { Device, Rule } from './queries';

export type Effect =
  | { kind: 'obeyed' }
  | { kind: 'waits'; why: 'offline' | 'locked' | 'safety' | 'manual' }
  /** Another rule is stronger. */
  | { kind: 'outranked'; by: string };

/** Undefined where the rule claims nothing of the device: it does not run, the action is delayed, or it was a pulse. */
export function effectOf(ruleId: string, device: Device, rules: readonly Rule[]): Effect | undefined {
  if (!device.claims.some(({ rule }) => rule === ruleId)) return undefined;
  if (!device.online) return { kind: 'waits', why: 'offline' };
  if (device.state.lock) return { kind: 'waits', why: 'locked' };
  if (device.state.mode === 'manual') return { kind: 'waits', why: 'manual' };
  if (device.state.mode === 'safety' || device.state.safety) return { kind: 'waits', why: 'safety' };
  const winner = device.claims[0]?.rule;
  if (winner === undefined || winner === ruleId) return { kind: 'obeyed' };
  return { kind: 'outranked', by: rules.find(({ id }) => id === winner)?.name ?? winner };
}
