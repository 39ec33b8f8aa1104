// The controllers of a farm, and their MACs.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from './client';
import { keys } from './keys';
import type { components } from './schema';

export type Controller = components['schemas']['Controller'];

/** In case the live connection is down; also, no message tells when a controller was last heard. */
const RELOAD_MS = 30_000;

export function controllersQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.controllers(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/controllers', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

/** All that a controller connects with as one URI (docs/protocol.md), for a scanner. */
export function accountUri({
  address,
  username,
  password,
  topic,
}: components['schemas']['MqttAccount']): string {
  return `mqtt://${username}:${password}@${address}/${topic}`;
}

const PAIRS = /^[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}$/i;
const DIGITS = /^[0-9a-f]{12}$/i;

/** A MAC in its one spelling, 12 upper-case digits; undefined where it is none. */
export function readMac(typed: string): string | undefined {
  const mac = typed.trim();
  return PAIRS.test(mac) || DIGITS.test(mac) ? mac.replaceAll(/[:-]/g, '').toUpperCase() : undefined;
}
