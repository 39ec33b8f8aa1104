// Stopping, beside the query cache and its idea of the network: each stop has an id, is sent until the server has taken it, and
// then asked after until every device has confirmed that it is off. Sending the same id again stops nothing twice.
import { useSyncExternalStore } from 'react';
import { refusal } from './errors';
import { newId } from './new-id';
import type { components } from './schema';
import { currentSession } from './session';

export type StopScope = components['schemas']['StopScope'];
export type StoppedDevice = components['schemas']['StoppedDevice'];

/** A stop that somebody asked for at this browser. */
export interface StopOrder {
  id: string;
  farmId: string;
  scope: StopScope;
  /** The device or house by its name; undefined for the whole farm. */
  name: string | undefined;
  /** When it was asked for. */
  at: number;
  /**
   * `unanswered`: nobody knows whether it arrived, and it is sent again. `taken`: the server has it, `devices` says how far it
   * got. `refused`: the server will not. `given_up`: no answer for too long; nothing is sent any more.
   */
  state: 'unanswered' | 'taken' | 'refused' | 'given_up';
  /** How often it was sent. */
  tries: number;
  devices: readonly StoppedDevice[];
  /** Why the server will not, in its words. */
  refusal: string | undefined;
}

/** How long one request may take; on the slowest lines an answer needs most of this. */
const REQUEST_MS = 15_000;
/** Without an answer the next request leaves after this, beside the one that is on its way: it may be lost. */
const AGAIN_MS = 3_000;
/** How long after a request that failed the next one leaves. */
const PAUSES_MS = [300, 700, 1_500, 3_000];
/** For how long a stop that nobody answers is sent again. */
const TRY_FOR_MS = 120_000;
/** For how long the devices of one that was taken are asked after, every `FOLLOW_MS`. */
const FOLLOW_FOR_MS = 60_000;
const FOLLOW_MS = 1_000;

let orders: readonly StopOrder[] = [];
const listeners = new Set<() => void>();

function set(next: readonly StopOrder[]): void {
  orders = next;
  for (const listener of listeners) listener();
}

function update(id: string, change: Partial<StopOrder>): void {
  set(orders.map((order) => (order.id === id ? { ...order, ...change } : order)));
}

const find = (id: string) => orders.find((order) => order.id === id);

/** Whether every device has confirmed that it is off. */
export function allConfirmed({ state, devices }: StopOrder): boolean {
  return state === 'taken' && devices.every((device) => device.state === 'confirmed');
}

/** Stops; the answer's way is seen in `useStopOrders`. Gives the id of what was asked for. */
export function stop(farmId: string, scope: StopScope, name: string | undefined): string {
  const id = newId();
  const order: StopOrder = {
    id,
    farmId,
    scope,
    name,
    at: Date.now(),
    state: 'unanswered',
    tries: 0,
    devices: [],
    refusal: undefined,
  };
  set([...orders, order]);
  void send(id);
  return id;
}

/** Sends one that was given up again. */
export function stopAgain(id: string): void {
  if (find(id)?.state !== 'given_up') return;
  update(id, { state: 'unanswered' });
  void send(id);
}

/** Forgets a stop; one that is unanswered is sent on, and still shown. */
export function dismissStop(id: string): void {
  if (find(id)?.state !== 'unanswered') set(orders.filter((order) => order.id !== id));
}

/** The stops asked for at this browser in a farm, the latest last. */
export function useStopOrders(farmId: string): readonly StopOrder[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => orders,
  );
  return all.filter((order) => order.farmId === farmId);
}

/** Forgets all: for tests. */
export function forgetStops(): void {
  set([]);
}

async function send(id: string): Promise<void> {
  const began = Date.now();
  for (let failures = 0; Date.now() - began < TRY_FOR_MS; ) {
    if (find(id)?.state !== 'unanswered') break;
    const failed = await Promise.race([request(id), pause(AGAIN_MS)]);
    if (find(id)?.state !== 'unanswered') break;
    if (failed === 'failed') await pause(PAUSES_MS[failures++] ?? AGAIN_MS);
  }
  if (find(id)?.state === 'unanswered') update(id, { state: 'given_up' });
  if (find(id)?.state === 'taken') await follow(id);
}

async function follow(id: string): Promise<void> {
  const began = Date.now();
  while (Date.now() - began < FOLLOW_FOR_MS) {
    const order = find(id);
    if (!order || order.devices.every(({ state }) => state !== 'sent')) return;
    await pause(FOLLOW_MS);
    await request(id);
  }
}

/** One request; what the server says goes into the order. */
async function request(id: string): Promise<'answered' | 'failed'> {
  const order = find(id);
  const session = currentSession();
  if (!order) return 'answered';
  update(id, { tries: order.tries + 1 });
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), REQUEST_MS);
  try {
    const response = await globalThis.fetch(
      new Request(`${window.location.origin}/api/farms/${encodeURIComponent(order.farmId)}/stop`, {
        method: 'POST',
        // It leaves even when the page is closed.
        keepalive: true,
        signal: abort.signal,
        headers: {
          'Content-Type': 'application/json',
          'Accept-Language': document.documentElement.lang || 'en',
          ...(session.state === 'authenticated' && { Authorization: `Bearer ${session.token}` }),
        },
        body: JSON.stringify({ scope: order.scope, id }),
      }),
    );
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok && isResult(body)) {
      update(id, { state: 'taken', devices: body.devices });
      return 'answered';
    }
    // Too often or too busy: both pass.
    if (response.status === 429 || response.status >= 500 || response.ok) return 'failed';
    if (find(id)?.state === 'unanswered')
      update(id, { state: 'refused', refusal: refusal(response.status, body).serverText });
    return 'answered';
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}

function isResult(body: unknown): body is components['schemas']['StopResult'] {
  return typeof body === 'object' && body !== null && Array.isArray((body as { devices?: unknown }).devices);
}

/** Ends early when the browser finds its network again. */
function pause(ms: number): Promise<'paused'> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      resolve('paused');
    };
    const timer = setTimeout(done, ms);
    window.addEventListener('online', done);
  });
}
