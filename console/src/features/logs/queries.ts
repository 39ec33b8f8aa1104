// The automation log: a page of it, and how much is newer.
import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import { isReversed, type LogQuestion } from './filters';

export type LogEntry = components['schemas']['LogEntry'];
export type LogPage = components['schemas']['LogPage'];

/** Asked again in case the live connection is down. */
const RELOAD_MS = 30_000;

function ask(farmId: string, query: LogQuestion): Promise<LogPage> {
  return answer(api.GET('/api/farms/{farmId}/logs', { params: { path: { farmId }, query } }));
}

/** A page of the log. The page before stays on screen until it is there. */
export function logsQuery(farmId: string, question: LogQuestion) {
  return queryOptions({
    queryKey: [...keys.logs(farmId), question],
    queryFn: isReversed(question) ? skipToken : () => ask(farmId, question),
    placeholderData: keepPreviousData,
    refetchInterval: RELOAD_MS,
  });
}

/** How many entries there are that a reader of later pages does not see. */
export function newerQuery(farmId: string, question: LogQuestion | undefined) {
  return queryOptions({
    queryKey: [...keys.logs(farmId), 'newer', question],
    queryFn: question ? async () => (await ask(farmId, question)).matching : skipToken,
    refetchInterval: RELOAD_MS,
  });
}
