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

/** The log has at most 100 entries a page, and a month of it may be thousands: so many pages are read, the newest ones. */
const PAGE = 100;
const MOST_PAGES = 5;

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

export function deviceQuery(farmId: string, deviceId: string, load: Load) {
  const { from, to } = load;
  return queryOptions({
    queryKey: [...keys.history(farmId), 'device', deviceId, from, to],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/devices/{deviceId}/history', {
          params: { path: { farmId, deviceId }, query: { from, to } },
        }),
      ),
    enabled: load.strips,
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
  return [...items, ...before.items.slice(items.length - added)].slice(0, MOST_PAGES * PAGE);
}

export function dayLogQuery(farmId: string, window: Window, load: Load) {
  const { from, to } = logFor(window);
  const queryKey = [...keys.logs(farmId), 'day', from, to];
  const read = (page: number) =>
    answer(
      api.GET('/api/farms/{farmId}/logs', {
        params: { path: { farmId }, query: { from, to, page, pageSize: PAGE } },
      }),
    );
  return queryOptions({
    queryKey,
    queryFn: async ({ client }): Promise<DayLog> => {
      const first = await read(1);
      const { matching } = first;
      // What happens on a farm is told all day: the pages before are not read again for each entry.
      const before = client.getQueryData<DayLog>(queryKey);
      let items = before && grown(before, first);
      if (!items) {
        const pages = Math.min(MOST_PAGES, Math.ceil(matching / PAGE));
        // On a slow line each would wait for the one before.
        const more = await Promise.all(
          Array.from({ length: Math.max(0, pages - 1) }, (_, nth) => read(nth + 2)),
        );
        items = [first, ...more].flatMap((page) => page.items);
      }
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
