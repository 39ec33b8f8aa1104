// The outages of a farm, page by page.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

export type Outage = components['schemas']['Outage'];
export type OutagePage = components['schemas']['OutagePage'];

const DAY_MS = 24 * 3_600_000;
const PAGE_SIZE = 20;
/** The most of a page that the server gives. */
const EXPORT_SIZE = 50;
/** More pages nobody reads: the file says so by its last line's time. */
const EXPORT_PAGES = 40;
const RELOAD_MS = 60_000;

/** How far back one looks, in days. */
export const spans = { d1: 1, d7: 7, d30: 30, d90: 90 } as const;
export type Span = keyof typeof spans;

const ask = (farmId: string, span: Span, page: number, pageSize: number, now: number) =>
  answer(
    api.GET('/api/farms/{farmId}/outages', {
      params: { path: { farmId }, query: { from: now - spans[span] * DAY_MS, to: now, page, pageSize } },
    }),
  );

/** A length in whole minutes where it is one or more: nobody counts the seconds of an outage. */
export const rounded = (seconds: number): number =>
  seconds < 60 ? Math.max(1, Math.round(seconds)) : Math.round(seconds / 60) * 60;

/** A page; the one before stays on screen until it is there. */
export const outagesQuery = (farmId: string, span: Span, page: number) =>
  queryOptions({
    queryKey: [...keys.outages(farmId), span, page],
    queryFn: () => ask(farmId, span, page, PAGE_SIZE, Date.now()),
    placeholderData: keepPreviousData,
    refetchInterval: RELOAD_MS,
  });

/** All of a span, for a file. */
export async function allOutages(farmId: string, span: Span): Promise<Outage[]> {
  const now = Date.now();
  const all: Outage[] = [];
  for (let page = 1; page <= EXPORT_PAGES; page++) {
    const found = await ask(farmId, span, page, EXPORT_SIZE, now);
    all.push(...found.items);
    if (all.length >= found.total || found.items.length === 0) break;
  }
  return all;
}
