// What a day asks the server: the history of each chosen sensor, what each device did, and the log of the same time.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import { DAY, type Load, logFor, type Window } from './window';

type LogEntry = components['schemas']['LogEntry'];
export type Note = components['schemas']['Note'];

const RELOAD_MS = 60_000;
const SECOND = 1_000;

/** A month of the log may have thousands of entries: the newest are read, and later on what is new. */
const MOST_ENTRIES = 500;
const NEW_ENTRIES = 100;

/** What is over does not change any more. */
function reload({ to }: Window) {
  return to > Date.now()
    ? { refetchInterval: RELOAD_MS, staleTime: RELOAD_MS / 2 }
    : { staleTime: Number.POSITIVE_INFINITY };
}

export function sensorQuery(farmId: string, sensorId: string, load: Load, earlier = 0) {
  const { step } = load;
  const [from, to] = [load.from - earlier, load.to - earlier];
  return queryOptions({
    queryKey: [...keys.history(farmId), 'sensor', sensorId, from, to, step],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/sensors/{sensorId}/history', {
          params: { path: { farmId, sensorId }, query: { from, to, step: step / SECOND } },
        }),
      ),
    placeholderData: (before, query) => (query?.queryKey[4] === sensorId ? before : undefined),
    ...reload(load),
  });
}

/** As many devices as one answer has. */
export const MOST_DEVICES = 32;

/** What some devices did, in one answer: a browser has few lines to a server, and a tap waits for all that is sent at once. */
export function devicesPastQuery(farmId: string, ids: readonly string[], load: Load) {
  const { from, to } = load;
  const devices = ids.join();
  return queryOptions({
    queryKey: [...keys.history(farmId), 'devices', devices, from, to],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/history/devices', {
          params: { path: { farmId }, query: { devices, from, to } },
        }),
      ),
    placeholderData: keepPreviousData,
    ...reload(load),
  });
}

/** The log of a time, newest first. */
export interface DayLog {
  items: LogEntry[];
  /** How many entries there are of all of it. */
  matching: number;
  /** From when up to when it is known: what is too long is known in its latest part only. */
  since: number;
  to: number;
}

/** What was read before with the newest page now; undefined where more has changed than that some were added. */
export function grown(before: DayLog, { items, matching }: Pick<DayLog, 'items' | 'matching'>) {
  const added = items.findIndex(({ id }) => id === before.items[0]?.id);
  if (added < 0 || matching - before.matching !== added) return undefined;
  return [...items, ...before.items.slice(items.length - added)].slice(0, MOST_ENTRIES);
}

export function dayLogQuery(farmId: string, window: Window, load: Load) {
  const { from, to } = logFor(window);
  const queryKey = [...keys.logs(farmId), 'day', from, to];
  const read = (pageSize: number) =>
    answer(
      api.GET('/api/farms/{farmId}/logs', {
        params: { path: { farmId }, query: { from, to, pageSize } },
      }),
    );
  return queryOptions({
    queryKey,
    queryFn: async ({ client }): Promise<DayLog> => {
      // What happens on a farm is told all day: what was read before is not read again for each entry.
      const before = client.getQueryData<DayLog>(queryKey);
      const newest = before && (await read(NEW_ENTRIES));
      const all = newest && grown(before, newest);
      const { items, matching } = all ? { ...newest, items: all } : await read(MOST_ENTRIES);
      const since = items.length < matching ? (items.at(-1)?.timestamp ?? from) : from;
      return { items, matching, since, to };
    },
    enabled: load.strips,
    placeholderData: keepPreviousData,
    ...reload({ from, to }),
  });
}

/** Longer than this no night is drawn: it would be a line. */
const LONGEST_SUN = 32 * DAY;

export function sunQuery(farmId: string, { from, to }: Load, enabled = true) {
  return queryOptions({
    queryKey: [...keys.history(farmId), 'sun', from, to],
    queryFn: () =>
      answer(api.GET('/api/farms/{farmId}/sun', { params: { path: { farmId }, query: { from, to } } })),
    enabled: enabled && to - from <= LONGEST_SUN,
    // Where the farm is may be said meanwhile, on another page.
    staleTime: RELOAD_MS,
  });
}

/** The notes of a time, by whole days of UTC: a little more than is shown. */
export function notesQuery(farmId: string, { from, to }: Load, enabled = true) {
  const query = { from: dayOfUtc(from), to: dayOfUtc(to) };
  return queryOptions({
    queryKey: [...keys.records(farmId), 'notes', query.from, query.to],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/notes', { params: { path: { farmId }, query } })),
    enabled,
    placeholderData: keepPreviousData,
  });
}

const dayOfUtc = (at: number) => new Date(at).toISOString().slice(0, 10);

export function alertsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.alerts(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/alerts', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}
