// What the page about whether devices work asks the server.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

export type DeviceEffect = components['schemas']['DeviceEffect'];
export type Effects = components['schemas']['Effects'];

/** Runs are looked at once a minute. */
const RELOAD_MS = 60_000;

export function effectsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.effects(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/effects', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

/** What does nothing first, then what can be told, then the rest; else as the server has them. */
export function inOrder(devices: readonly DeviceEffect[]): DeviceEffect[] {
  const rank = ({ failing, told }: DeviceEffect) => (failing ? 0 : told > 0 ? 1 : 2);
  return [...devices].sort((a, b) => rank(a) - rank(b));
}
