// What ran at a reservoir, day by day.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

export type Ledger = components['schemas']['ReservoirLedger'];
export type Ran = components['schemas']['LedgerDevice'];
export type Reading = components['schemas']['LedgerReading'];
export type Meter = components['schemas']['LedgerMeter'];
export type Share = components['schemas']['LedgerShare'];

const DAY_MS = 24 * 3_600_000;
const RELOAD_MS = 60_000;

/** How far back one looks, in days. */
export const spans = { d7: 7, d30: 30, d92: 92 } as const;
export type Span = keyof typeof spans;

/** The days of a span up to `today`, YYYY-MM-DD; those of the last one stay on screen until they are there. */
export function ledgerQuery(farmId: string, reservoirId: string, span: Span, today: string) {
  const first = new Date(Date.parse(`${today}T00:00:00Z`) - (spans[span] - 1) * DAY_MS);
  const from = first.toISOString().slice(0, 10);
  return queryOptions({
    queryKey: [...keys.reservoirs(farmId), reservoirId, 'ledger', from, today],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/reservoirs/{reservoirId}/ledger', {
          params: { path: { farmId, reservoirId }, query: { from, to: today } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: RELOAD_MS,
  });
}
