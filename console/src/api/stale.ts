// Which of a farm's data each live message makes old, and the gathering that keeps a burst of messages from becoming a
// burst of requests: what arrives within a window is asked for once, at its end.
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { farmKey, keys } from './keys';

/** What is gathered before anything is asked for again: at most two requests a second for each thing on screen. */
export const GATHER_MS = 500;
/** After the server lost messages it tells every screen at once: each then waits a random part of this, so that not all ask together. */
export const SPREAD_MS = 3_000;

/** Data of a farm that live messages make old. */
type Part =
  | 'summary'
  | 'tasks'
  | 'polyhouses'
  | 'records'
  | 'reservoirs'
  | 'sensors'
  | 'derivedSensors'
  | 'controllers'
  | 'devices'
  | 'deviceGroups'
  | 'setpoints'
  | 'stops'
  | 'rules'
  | 'alerts'
  | 'logs'
  | 'notifications'
  | 'users'
  | 'latestTelemetry'
  | 'work'
  | 'exceptions'
  | 'holders';

/** The engine's events by name (the end of docs/semantics.md lists them). */
const byEvent: Record<string, readonly Part[]> = {
  rule_fired: ['rules', 'devices', 'logs'],
  rule_blocked: ['rules', 'logs'],
  start_skipped: ['rules', 'logs'],
  rule_stopped: ['rules', 'devices', 'logs'],
  action_missed: ['rules', 'logs'],
  command: ['devices', 'stops', 'logs'],
  command_suppressed: ['rules', 'logs'],
  command_refused: ['devices', 'logs'],
  manual_ended: ['devices', 'stops', 'rules', 'logs'],
  device_locked: ['devices', 'stops', 'rules', 'logs'],
  command_held: ['devices', 'rules', 'logs'],
  limit_reached: ['devices', 'stops', 'rules', 'logs'],
  alert_raised: ['alerts', 'summary', 'logs'],
  alert_notified: ['alerts', 'summary', 'logs'],
  alert_resolved: ['alerts', 'summary', 'logs'],
  // Its value counts no longer, in the means as in the conditions.
  sensor_expired: ['sensors', 'latestTelemetry', 'polyhouses', 'reservoirs', 'rules', 'alerts', 'logs'],
};
/** An event that this console does not know yet may concern anything that the engine decides. */
const anyEvent: readonly Part[] = ['rules', 'devices', 'stops', 'alerts', 'sensors', 'summary', 'logs'];

/** Places, sensors, devices, rules or alert rules changed. */
const registryParts: readonly Part[] = [
  'polyhouses',
  'reservoirs',
  'sensors',
  'controllers',
  'devices',
  'deviceGroups',
  'setpoints',
  'stops',
  'rules',
  'alerts',
  'summary',
  'latestTelemetry',
];
/** A controller came or went, and its devices and sensors with it. */
const controllerParts: readonly Part[] = ['devices', 'stops', 'sensors', 'controllers', 'rules', 'logs'];

/** What changes with each kind of a farm's records that has no line of its own: one names another, and the tiles count them. */
const records: readonly Part[] = ['records', 'summary', 'tasks'];
/** The other kinds, with what else counts them. */
const byRecord: Record<string, readonly Part[]> = {
  tasks: ['tasks', 'summary'],
  notifications: ['notifications'],
  // It has an event of its own.
  log: [],
  // Who answered stands on the cards and under the bell.
  incidents: ['alerts', 'notifications'],
  reservoirs: ['reservoirs', 'summary', 'latestTelemetry'],
  polyhouses: ['polyhouses', 'summary'],
  users: ['users'],
  // Told to workers alone, of whatever their page shows.
  work: ['work', 'stops'],
  // With one comes a place.
  controllers: ['controllers', 'reservoirs'],
  // The registry tells of the sensors themselves.
  'derived-sensors': ['derivedSensors', 'sensors'],
};

/** What is told of devices, of rules and of alerts together: who holds what, and what is not on automatic. */
const joined: Partial<Record<Part, readonly Part[]>> = {
  devices: ['holders', 'exceptions'],
  stops: ['holders', 'exceptions'],
  rules: ['holders', 'exceptions'],
  sensors: ['exceptions'],
  alerts: ['exceptions'],
};

/** What no message tells of: it is asked for by the clock or never changes, and coming late to the messages costs it nothing. */
const unheard: ReadonlySet<string> = new Set([
  keys.weather('')[2],
  keys.history('')[2],
  keys.photo('', '', null)[2],
]);

/** What a live message makes old; undefined for messages that are not about stored data. */
function partsOf(message: string, payload: unknown): readonly Part[] | undefined {
  switch (message) {
    case 'event':
      return byEvent[String(field(payload, 'event'))] ?? anyEvent;
    case 'command':
      return ['devices', 'stops', 'logs'];
    case 'controller':
      return controllerParts;
    case 'registry':
      return registryParts;
    case 'log':
      // What people do is told there: a stop that was opened, say.
      return ['logs', 'stops'];
    case 'records': {
      const kinds = field(payload, 'kinds');
      return Array.isArray(kinds) ? kinds.flatMap((kind) => byRecord[String(kind)] ?? records) : [];
    }
    default:
      return undefined;
  }
}

/** The messages that make data old; `reload` makes all of it old. */
export const staleMessages = ['event', 'command', 'controller', 'registry', 'log', 'records'] as const;

/** Gathers what became old in one farm and has it asked for again. */
export class Stale {
  private readonly old = new Map<string, QueryKey>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private spread: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly cache: QueryClient,
    private readonly farmId: string,
  ) {}

  /** Notes what a live message makes old. */
  heard(message: (typeof staleMessages)[number], payload: unknown): void {
    for (const part of partsOf(message, payload) ?? [])
      for (const old of [part, ...(joined[part] ?? [])]) this.note(keys[old](this.farmId));
  }

  /** Notes one thing as old. */
  note(key: QueryKey): void {
    this.old.set(JSON.stringify(key), key);
    this.timer ??= setTimeout(this.flush, GATHER_MS);
  }

  /** Everything of the farm is old: messages were missed. */
  everything(): void {
    this.close();
    this.again(() => true);
  }

  /** From now on messages come; what was loaded before, or is being loaded, may lack what happened until now. */
  listening(): void {
    const now = Date.now();
    this.again(({ queryKey, state }) => {
      const loaded = state.status === 'success';
      return !(loaded && (state.dataUpdatedAt > now || unheard.has(String(queryKey[2]))));
    });
  }

  /** The same after the server lost messages, a little later. */
  everythingSoon(): void {
    this.spread ??= setTimeout(() => this.everything(), Math.random() * SPREAD_MS);
  }

  /** Forgets what was gathered. */
  close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.spread);
    this.timer = undefined;
    this.spread = undefined;
    this.old.clear();
  }

  private again(isOld: (query: Query) => boolean): void {
    for (const query of this.cache.getQueryCache().findAll({ queryKey: farmKey(this.farmId) })) {
      if (!isOld(query)) continue;
      // A load that is under way may have read before, and to ask again now would only join it.
      if (query.state.fetchStatus === 'fetching') this.note(query.queryKey);
      else void this.cache.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }
  }

  private readonly flush = (): void => {
    this.timer = undefined;
    for (const [name, queryKey] of this.old) {
      // A load that is under way may have missed the message, but to cut it off would, on a slow line, leave every load
      // unfinished: it ends first, and the next window asks again.
      if (this.cache.isFetching({ queryKey }) > 0) continue;
      this.old.delete(name);
      void this.cache.invalidateQueries({ queryKey });
    }
    if (this.old.size > 0) this.timer = setTimeout(this.flush, GATHER_MS);
  };
}

function field(payload: unknown, name: string): unknown {
  return typeof payload === 'object' && payload !== null
    ? (payload as Record<string, unknown>)[name]
    : undefined;
}
