// The crop cycles of a farm, for the screens that name one: records, and tasks.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from './client';
import { keys } from './keys';
import type { components } from './schema';

export type CropCycle = components['schemas']['CropCycle'];

/** In case the live connection is down. */
const RELOAD_MS = 60_000;

/** All of them, under the name by which the pages of records keep them: nothing is asked for twice. */
export function cropCyclesQuery(farmId: string) {
  return queryOptions({
    queryKey: [...keys.records(farmId), 'crop-cycles', ''],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/crop-cycles', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

/** "Capsicum Indra · Polyhouse 1, Zone A". */
export function cycleName({ zone, ...what }: Pick<CropCycle, 'crop' | 'variety' | 'zone'>): string {
  return [cropAndVariety(what), zone].filter(Boolean).join(' · ');
}

/** "Rose Taj", or the crop alone. */
export function cropAndVariety({ crop, variety }: { crop: string; variety: string | null }): string {
  return [crop, variety].filter(Boolean).join(' ');
}
