// The lanes of a device, a rule or a house: what is asked for, and what each says at an instant. The server has folded it all; here it is
// only put in order.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import { DAY, type Window } from './window';

type Schemas = components['schemas'];
export type Lanes = Schemas['Lanes'];
export type Lane = Schemas['Lane'];
export type LaneSpan = Schemas['LaneSpan'];
export type LaneKind = Schemas['LaneKind'];
export type LaneState = Schemas['LaneState'];

/** Whose day it is. */
export type Subject =
  | { device: string; rule?: never; house?: never }
  | { rule: string; device?: never; house?: never }
  | { house: string; device?: never; rule?: never };

const MINUTE = 60_000;
/** What ends now goes on: it is asked for again. */
const AGAIN_MS = 60_000;
/** A person's act is read from so far away, as a part of the window. */
const NEAR = 0.012;

/** Lanes in which a time without a span means that nothing was so; in the others it means that nothing is known. */
const quiet: ReadonlySet<LaneKind> = new Set([
  'hold',
  'locks',
  'outcome',
  'effect',
  'people',
  'alert',
  'server',
]);
/** Those of them that are known as far back as is asked, and also while the server did not run: what was stored has them. */
const stored: ReadonlySet<LaneKind> = new Set(['effect', 'people']);

/** What is asked for so that a window can be shown: what is there as long as it covers the window, else a day. */
export function spanFor(window: Window, day: Window, before: Window | undefined): Window | undefined {
  const within = (span: Window) => span.from <= window.from && window.to <= span.to;
  if (window.to - window.from > DAY) return before;
  if (before && within(before)) return before;
  if (within(day) && day.to - day.from <= DAY) return day;
  const from = Math.floor(window.from / MINUTE) * MINUTE;
  return { from, to: Math.min(from + DAY, Math.ceil(window.to / MINUTE) * MINUTE) };
}

export function lanesQuery(farmId: string, subject: Subject, span: Window | undefined) {
  const query = span ? { from: span.from, to: span.to } : {};
  return queryOptions({
    queryKey: [...ownerOf(farmId, subject), 'lanes', span?.from, span?.to],
    queryFn: ({ signal }): Promise<Lanes> => ask(farmId, subject, query, signal),
    enabled: span !== undefined && span.from < Date.now(),
    placeholderData: (before) => before,
    ...(span && span.to > Date.now()
      ? { refetchInterval: AGAIN_MS, staleTime: AGAIN_MS / 2 }
      : { staleTime: Number.POSITIVE_INFINITY }),
  });
}

/** Under whom it is kept: what makes that old makes its lanes old. */
function ownerOf(farmId: string, { device, rule, house }: Subject) {
  if (device !== undefined) return [...keys.devices(farmId), device];
  return rule === undefined ? [...keys.polyhouses(farmId), house] : [...keys.rules(farmId), rule];
}

function ask(
  farmId: string,
  { device, rule, house }: Subject,
  query: { from?: number; to?: number },
  signal: AbortSignal,
): Promise<Lanes> {
  if (device !== undefined)
    return answer(
      api.GET('/api/farms/{farmId}/devices/{deviceId}/lanes', {
        params: { path: { farmId, deviceId: device }, query },
        signal,
      }),
    );
  if (rule !== undefined)
    return answer(
      api.GET('/api/farms/{farmId}/rules/{ruleId}/lanes', {
        params: { path: { farmId, ruleId: rule }, query },
        signal,
      }),
    );
  return answer(
    api.GET('/api/farms/{farmId}/polyhouses/{polyhouseId}/lanes', {
      params: { path: { farmId, polyhouseId: house }, query },
      signal,
    }),
  );
}

/** What a lane says at an instant: a span, that nothing was so, or that nothing is known. */
export function laneAt(
  lane: Lane,
  lanes: Lanes,
  asked: number,
  window: Window,
): LaneSpan | 'nothing' | 'unknown' {
  const near = (window.to - window.from) * NEAR;
  // What was so when it was loaded goes on until it is loaded again.
  const at = asked > lanes.to && asked <= lanes.to + 2 * AGAIN_MS ? lanes.to : asked;
  let found: LaneSpan | undefined;
  for (const span of lane.spans) {
    const isMark = span.from === span.to;
    const covers = span.from <= at && (at < span.to || (span.to === at && at === lanes.to));
    if (isMark ? Math.abs(span.from - asked) <= near : covers) found = span;
  }
  if (found) return found;
  return isKnown(lane, lanes, at) ? 'nothing' : 'unknown';
}

/** Whether a lane that has no span at an instant says by it that nothing was so. */
export function isKnown(lane: Lane, lanes: Lanes, at: number): boolean {
  if (!quiet.has(lane.kind)) return false;
  if (at < lanes.from || at > lanes.to) return false;
  if (lane.cut !== null && at >= lane.cut) return false;
  if (stored.has(lane.kind)) return true;
  if (at < lanes.exact_from) return false;
  return lane.kind === 'server' || !isDown(lanes, at);
}

/** Whether the server did not run at an instant. */
export function isDown(lanes: Lanes, at: number): boolean {
  const server = lanes.lanes.find(({ kind }) => kind === 'server');
  return server?.spans.some(({ from, to }) => from <= at && at < to) ?? false;
}

/** The times in which a lane without spans says that nothing was so. */
export function knownTimes(lane: Lane, lanes: Lanes): Window[] {
  if (!quiet.has(lane.kind)) return [];
  const from = stored.has(lane.kind) ? lanes.from : lanes.exact_from;
  const to = Math.min(lane.cut ?? lanes.to, lanes.to);
  const server = lanes.lanes.find(({ kind }) => kind === 'server');
  const outages = lane.kind === 'server' || stored.has(lane.kind) ? [] : (server?.spans ?? []);
  const times: Window[] = [];
  let begins = from;
  for (const outage of outages) {
    if (outage.from > begins) times.push({ from: begins, to: outage.from });
    begins = Math.max(begins, outage.to);
  }
  if (to > begins) times.push({ from: begins, to });
  return times;
}

export interface LaneGroup {
  /** The rule that these lanes are of, among a device's. */
  rule?: { id: string; name: string };
  lanes: Lane[];
}

/** The lanes in their order, those of each of a device's rules together. */
export function grouped({ lanes }: Lanes, subject: Subject): LaneGroup[] {
  const groups: LaneGroup[] = [];
  for (const lane of lanes) {
    const ofRule = ['phase', 'hold', 'truth'].includes(lane.kind) && subject.rule === undefined;
    const last = groups.at(-1);
    if (!ofRule) {
      if (last && !last.rule) last.lanes.push(lane);
      else groups.push({ lanes: [lane] });
    } else if (last?.rule && last.rule.id === lane.of) last.lanes.push(lane);
    else groups.push({ rule: { id: lane.of ?? '', name: lane.name }, lanes: [lane] });
  }
  return groups;
}

/** Whose day an address asks for. */
export function subjectOf(search: URLSearchParams): Subject | undefined {
  const [device, rule, house] = ['device', 'rule', 'house'].map((name) => search.get(name));
  if (device) return { device };
  if (rule) return { rule };
  return house ? { house } : undefined;
}
