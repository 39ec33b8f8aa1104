// What programs get in by: tokens of the person, and accounts of the farm that read by MQTT.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';

export type Token = components['schemas']['Token'];
export type FarmToken = components['schemas']['FarmToken'];
export type Integration = components['schemas']['Integration'];

/** What is shown once, when it was made: a name, and lines to be copied. */
export interface Shown {
  name: string;
  lines: readonly { what: string; text: string }[];
}

/** No live message tells of their use. */
const RELOAD_MS = 30_000;

export function tokensQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.tokens(farmId),
    queryFn: async () => (await answer(api.GET('/auth/tokens'))).tokens,
    refetchInterval: RELOAD_MS,
  });
}

export function farmTokensQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.farmTokens(farmId),
    queryFn: async () =>
      (await answer(api.GET('/api/farms/{farmId}/tokens', { params: { path: { farmId } } }))).tokens,
    refetchInterval: RELOAD_MS,
  });
}

export function integrationsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.integrations(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/integrations', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}
