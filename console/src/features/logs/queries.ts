// The automation log: a page of it, how much is newer, and what became of a command that an entry is about.
import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import type { LogQuestion } from './filters';

export type LogEntry = components['schemas']['LogEntry'];
export type LogPage = components['schemas']['LogPage'];
export type LogType = LogEntry['type'];
export type LogResult = LogEntry['result'];
export type Command = components['schemas']['Command'];

/** Asked again in case the live connection is down. */
const RELOAD_MS = 30_000;

function ask(farmId: string, query: LogQuestion): Promise<LogPage> {
  return answer(api.GET('/api/farms/{farmId}/logs', { params: { path: { farmId }, query } }));
}

/** A page of the log. The page before stays on screen until it is there. */
export function logsQuery(farmId: string, question: LogQuestion) {
  return queryOptions({
    queryKey: [...keys.logs(farmId), question],
    queryFn: () => ask(farmId, question),
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

/** A command; live messages write how far it gets under the same name. */
export function commandQuery(farmId: string, commandId: string) {
  return queryOptions({
    queryKey: keys.command(farmId, commandId),
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/commands/{commandId}', { params: { path: { farmId, commandId } } }),
      ),
  });
}
