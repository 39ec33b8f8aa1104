// What a letter and a week ask the server.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { farmKey } from '../../api/keys';
import type { components } from '../../api/schema';

export type Schemas = components['schemas'];
export type Letter = Schemas['Letter'];
export type Week = Schemas['LetterWeek'];

const RELOAD_MS = 60_000;

const lettersKey = (farmId: string) => [...farmKey(farmId), 'letter'] as const;

const asked = (farmId: string, day: string | null) => ({
  params: { path: { farmId }, query: day === null ? {} : { day } },
});

/** A day's letter; without a day the latest that is ready. */
export function letterQuery(farmId: string, day: string | null) {
  return queryOptions({
    queryKey: [...lettersKey(farmId), 'day', day],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/letter', asked(farmId, day))),
    staleTime: RELOAD_MS,
  });
}

export function weekQuery(farmId: string, day: string | null) {
  return queryOptions({
    queryKey: [...lettersKey(farmId), 'week', day],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/letter/week', asked(farmId, day))),
    staleTime: RELOAD_MS,
  });
}

export function chooseLetter(farmId: string, isTold: boolean) {
  return answer(
    api.PUT('/api/farms/{farmId}/letter/choice', { params: { path: { farmId } }, body: { isTold } }),
  );
}
