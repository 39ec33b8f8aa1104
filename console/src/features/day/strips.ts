// The strips below the curves: when each device was on, and what the log tells of rules, people and alerts.
import type { components } from '../../api/schema';
import type { Place, PlaceNames } from '../../i18n/domain';
import { isWithin } from '../../screen/place';
import type { DeviceKind } from '../../ui/icons/DeviceGlyph';
import type { Window } from './window';

type LogEntry = components['schemas']['LogEntry'];

/** A time in which something was so, or an instant at which something happened. */
export interface Stretch extends Window {
  /** on, off, or a mark of an instant. */
  kind: 'on' | 'off' | 'mark';
  /** Whether a person had the device. */
  byHand?: boolean;
  /** What it was, for who asks. */
  text: string;
}

export type StripKind = 'device' | 'rule' | 'person' | 'alert';

export interface Strip {
  kind: StripKind;
  id: string;
  name: string;
  /** Of a device. */
  machine?: DeviceKind;
  /** Sorted by their beginnings. */
  stretches: readonly Stretch[];
  /** What is known at all; outside of it the strip is hatched. */
  known: Window | null;
}

/** What begins and ends a stretch of a rule or an alert. */
const edges: Record<string, { kind: 'rule' | 'alert'; begins: boolean }> = {
  rule_fired: { kind: 'rule', begins: true },
  rule_stopped: { kind: 'rule', begins: false },
  alert_raised: { kind: 'alert', begins: true },
  alert_resolved: { kind: 'alert', begins: false },
};

/** The id and the name that an entry gives an alert. */
function alertOf({ details }: LogEntry): { id: string; name: string } | undefined {
  const alert = details['alert'] as { id?: string; name?: string } | undefined;
  return alert?.id ? { id: alert.id, name: alert.name ?? alert.id } : undefined;
}

/** Whether an entry belongs to a place; what is of no place is of all. */
export function isAbout(entry: LogEntry, place: Place, houses: PlaceNames): boolean {
  const { scope } = entry;
  return !scope || isWithin(scope, place, houses) || isWithin(place, scope, houses);
}

/**
 * The strips that log entries (in any order) make in a time that is known. What was begun before the log that is known has no
 * beginning in it: its end alone says that it was so, and it is drawn from where the log begins.
 */
export function stripsOf(entries: readonly LogEntry[], known: Window): Strip[] {
  const strips = new Map<string, Strip & { stretches: Stretch[]; open: Stretch | undefined }>();
  const stripOf = (kind: StripKind, id: string, name: string) => {
    const key = `${kind} ${id}`;
    const made = strips.get(key) ?? { kind, id, name, stretches: [], known, open: undefined };
    strips.set(key, made);
    return made;
  };
  for (const entry of [...entries].sort((a, b) => a.timestamp - b.timestamp)) {
    const { timestamp: at, action: text, details, ruleId, ruleName, userId, userName } = entry;
    const edge = edges[details.kind];
    const named =
      edge?.kind === 'alert' ? alertOf(entry) : ruleId && { id: ruleId, name: ruleName ?? ruleId };
    if (edge && named) {
      const strip = stripOf(edge.kind, named.id, named.name);
      if (edge.begins) {
        strip.open = { from: at, to: known.to, kind: 'on', text };
        strip.stretches.push(strip.open);
      } else if (strip.open) {
        strip.open.to = at;
        strip.open = undefined;
      } else if (strip.stretches.every(({ kind }) => kind === 'mark'))
        strip.stretches.push({ from: known.from, to: at, kind: 'on', text });
    } else if (details.kind === 'start_skipped' && named)
      stripOf('rule', named.id, named.name).stretches.push({ from: at, to: at, kind: 'mark', text });
    else if (entry.type === 'manual_command' && userId)
      stripOf('person', userId, userName ?? userId).stretches.push({ from: at, to: at, kind: 'mark', text });
  }
  return [...strips.values()].map(({ open: _, ...strip }) => strip);
}

/** Those that did something before those that were off all the time. */
export function busyFirst(strips: readonly Strip[]): Strip[] {
  const isIdle = ({ stretches }: Strip) => stretches.every(({ kind }) => kind === 'off');
  return [...strips.filter((strip) => !isIdle(strip)), ...strips.filter(isIdle)];
}

/** The stretch at an instant: one that covers it, or a mark no farther than `near`. */
export function stretchAt(strip: Strip, at: number, near: number): Stretch | undefined {
  let found: Stretch | undefined;
  for (const stretch of strip.stretches) {
    if (stretch.from > at + near) break;
    if (stretch.kind === 'mark' ? Math.abs(stretch.from - at) <= near : stretch.to > at && stretch.from <= at)
      found = stretch;
  }
  return found;
}

/** Whether anything is known of a strip at an instant. */
export function isKnown({ known }: Strip, at: number): boolean {
  return known !== null && at >= known.from && at < known.to;
}
