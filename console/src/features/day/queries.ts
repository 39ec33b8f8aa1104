// What a day asks the server: the history of each chosen sensor, what each device did, and the log of the same time.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import { DAY, type Load } from './window';

type LogEntry = components['schemas']['LogEntry'];

const RELOAD_MS = 60_000;
const SECOND = 1_000;

/** The log has at most 100 entries a page, and a month of it may be thousands: so many pages are read, the newest ones. */
const PAGE = 100;
const MOST_PAGES = 5;

/** What is over does not change any more. */
function reload({ to }: Load) {
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

/** The log of a time, newest first, and since when it is known: what is too long is known in its latest part only. */
export function dayLogQuery(farmId: string, load: Load) {
  const { from, to } = load;
  return queryOptions({
    queryKey: [...keys.logs(farmId), 'day', from, to],
    queryFn: async () => {
      const items: LogEntry[] = [];
      for (let page = 1; page <= MOST_PAGES; page += 1) {
        const read = await answer(
          api.GET('/api/farms/{farmId}/logs', {
            params: { path: { farmId }, query: { from, to, page, pageSize: PAGE } },
          }),
        );
        items.push(...read.items);
        if (page * PAGE >= read.matching) return { items, since: from };
      }
      return { items, since: items.at(-1)?.timestamp ?? from };
    },
    enabled: load.strips,
    placeholderData: keepPreviousData,
    ...reload(load),
  });
}

/** Longer than this no night is drawn: it would be a line. */
const LONGEST_SUN = 32 * DAY;

export function sunQuery(farmId: string, load: Load) {
  const { from, to } = load;
  return queryOptions({
    queryKey: [...keys.history(farmId), 'sun', from, to],
    queryFn: () =>
      answer(api.GET('/api/farms/{farmId}/sun', { params: { path: { farmId }, query: { from, to } } })),
    enabled: to - from <= LONGEST_SUN,
    // Where the farm is may be said meanwhile, on another page.
    staleTime: RELOAD_MS,
  });
}

export function alertsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.alerts(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/alerts', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}
