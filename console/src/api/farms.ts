// The caller's farms and which of them the console shows.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { answer, api } from './client';
import { keys } from './keys';
import type { components } from './schema';

export type Farm = components['schemas']['Farm'];
export type Role = Farm['role'];

/** What a page of the chosen farm is given. */
export interface FarmPageProps {
  farm: Farm;
  farmId: string;
  /** Whether they may change what the page shows. */
  writes: boolean;
}

const CHOICE = 'farm';
const listeners = new Set<() => void>();

export const farmsQuery = queryOptions({
  queryKey: keys.farms,
  queryFn: () => answer(api.GET('/api/farms')),
  staleTime: 60_000,
});

/** Switches the whole console to another farm; remembered on this device. */
export function chooseFarm(farmId: string): void {
  localStorage.setItem(CHOICE, farmId);
  for (const listener of listeners) listener();
}

function useChoice(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => localStorage.getItem(CHOICE),
  );
}

/** The caller's farms, and the one chosen: the remembered one if it is still theirs, else the first. */
export function useFarms() {
  const query = useQuery(farmsQuery);
  const choice = useChoice();
  const farms = query.data;
  const current = farms?.find((farm) => farm.id === choice) ?? farms?.[0];
  return { farms, current, error: query.error, retry: () => void query.refetch() };
}
