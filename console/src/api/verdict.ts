// How the farm and its houses stand, as the server judged it; not known while that judgement is old or the connection gone.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { answer, api } from './client';
import { keys } from './keys';
import { useLostSince } from './live-status';
import type { components } from './schema';

export type FarmVerdict = components['schemas']['FarmVerdict'];
export type VerdictWord = components['schemas']['Verdict'];
export type Reason = components['schemas']['VerdictReason'];
export type Act = components['schemas']['VerdictAct'];

const RELOAD_MS = 30_000;
/** An answer that is older says nothing about now: two reloads failed. */
export const OLD_MS = 75_000;
const LOOK_MS = 5_000;

export function verdictQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.verdict(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/verdict', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

/** What can be said of how the farm stands. */
export type Judged =
  | { state: 'asking' }
  /** Never better than not known: since when, and what was said last. */
  | { state: 'lost'; since: number | undefined; last: FarmVerdict | undefined; lastAt: number | undefined }
  | { state: 'known'; verdict: FarmVerdict };

/** The farm's verdict, as far as it can be trusted at this moment. */
export function useVerdict(farmId: string): Judged {
  const query = useQuery(verdictQuery(farmId));
  const lostSince = useLostSince();
  const now = useNow();
  if (!query.data) {
    const failed = query.isError || lostSince !== undefined;
    return failed
      ? { state: 'lost', since: lostSince, last: undefined, lastAt: undefined }
      : { state: 'asking' };
  }
  const lastAt = query.dataUpdatedAt;
  const isOld = now - lastAt > OLD_MS;
  if (lostSince !== undefined || query.isError || isOld) {
    return { state: 'lost', since: Math.max(lostSince ?? lastAt, lastAt), last: query.data, lastAt };
  }
  return { state: 'known', verdict: query.data };
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Where the act that helps is done; undefined where no page helps. */
export function pathOf({ act, polyhouseId, what }: Reason): string | undefined {
  const house = `/polyhouses?open=${encodeURIComponent(polyhouseId ?? 'farm')}`;
  switch (act) {
    case 'call_operator':
      return undefined;
    case 'check_controller':
    case 'check_sensor':
    case 'remove':
      return what.kind === 'alert_blind'
        ? `/alerts${what.raised ? `/${encodeURIComponent(what.alert.id)}` : ''}`
        : house;
    case 'see_alert':
      // By the alert's id it is the incident that it is raised for now.
      return what.kind === 'alert_raised' ? `/alerts/${encodeURIComponent(what.alert.id)}` : '/alerts';
    case 'see_day':
      return `/day?${new URLSearchParams(polyhouseId === null ? {} : { polyhouse: polyhouseId })}`;
    case 'start_rule':
      return '/automation/rules';
    case 'check_device':
    case 'unlock':
    case 'give_back':
      return 'device' in what
        ? `/automation/manual?device=${encodeURIComponent(what.device.id)}`
        : '/automation/manual';
  }
}
