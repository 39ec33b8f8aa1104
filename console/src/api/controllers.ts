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

/** Somebody goes from one sensor to the next and breathes on each. */
const WATCH_MS = 2_000;

/** A controller's sensors, those first that just rose. */
export function controllerSensorsQuery(farmId: string, macid: string) {
  return queryOptions({
    queryKey: keys.controllerSensors(farmId, macid),
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/controllers/{macid}/sensors', { params: { path: { farmId, macid } } }),
      ),
    refetchInterval: WATCH_MS,
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

/** What says in a code that a MAC follows. */
const NAMED =
  /(?:^|[?&#;:,\s])(?:mac(?:id)?|harit)\s*[:=]\s*((?:[0-9a-f]{2}(?:%3a|[:-])?){5}[0-9a-f]{2})(?![0-9a-f])/i;

/**
 * The MAC in the code on a box (docs/protocol.md): alone, after `HARIT:`, in an address (`?mac=`) or among others (`MAC:...;`).
 * Undefined where it holds none.
 */
export function readBox(code: string): string | undefined {
  const alone = readMac(code);
  if (alone !== undefined) return alone;
  const named = NAMED.exec(code)?.[1];
  return named === undefined ? undefined : readMac(named.replaceAll(/%3a/gi, ':'));
}
