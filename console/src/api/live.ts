// The real-time connection, and the only importer of socket.io-client. It writes what arrives into the query cache, or has
// the cache ask again for what a message makes old (stale.ts). It loads after the first values, which can do without it.
import type { QueryClient } from '@tanstack/react-query';
import { io, type Socket } from 'socket.io-client';
import { keys } from './keys';
import { liveStatus, setLiveStatus } from './live-status';
import { foldTelemetry, type LatestTelemetry } from './readings';
import type { components } from './schema';
import { Stale, staleMessages } from './stale';

type LiveEvents = components['schemas']['LiveEvents'];
/** A command and how far it got. */
type Command = LiveEvents['command'];
type Subscribed = components['schemas']['Subscribed'];

/** What the socket says and hears. */
type LiveSocket = Socket<
  { [Event in keyof LiveEvents]: (message: LiveEvents[Event]) => void },
  { subscribe: (wish: components['schemas']['Subscribe'], told: (answer: Subscribed) => void) => void }
>;

/** Wait before knocking again when the server itself closed the connection (socket.io then gives up by itself). */
const KNOCK_AGAIN_MS = 2_000;
/** Wait before asking for the farm again when the server took the connection and refused the farm (asked too often, say). */
const SUBSCRIBE_AGAIN_MS = 10_000;
/** Wait for the answer to a subscription before asking again: a page that is not told shows what is no longer so. */
const ANSWER_WITHIN_MS = 3_000;

/** What a live connection needs of socket.io: enough to be played by a test. */
export type OpenSocket = (
  token: string,
  farmId: string,
) => Pick<LiveSocket, 'on' | 'emit' | 'connect' | 'disconnect'> & { active: boolean };

const openSocket: OpenSocket = (token, farmId) =>
  io(window.location.origin, {
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    auth: { token },
    // In the address, for who passes the connection on to the server that has the farm.
    query: { farm: farmId },
    autoConnect: false,
    forceNew: true,
    reconnectionDelay: 500,
    reconnectionDelayMax: 3_000,
  });

/** Connects for one farm and keeps connected until the returned function is called. */
export function openLive(
  cache: QueryClient,
  farmId: string,
  token: string,
  open: OpenSocket = openSocket,
): () => void {
  let closed = false;
  let knock: ReturnType<typeof setTimeout> | undefined;
  const stale = new Stale(cache, farmId);
  const socket = open(token, farmId);
  const knockAgain = () => {
    clearTimeout(knock);
    if (!socket.active && !closed) {
      knock = setTimeout(() => socket.connect(), KNOCK_AGAIN_MS);
    }
  };
  const subscribe = () => {
    clearTimeout(knock);
    knock = setTimeout(subscribe, ANSWER_WITHIN_MS);
    socket.emit('subscribe', { farmId }, (answer) => {
      // A slow answer to an earlier try may come after the one that counted.
      if (closed || liveStatus() === 'on') return;
      clearTimeout(knock);
      if (!answer.ok) {
        knock = setTimeout(subscribe, SUBSCRIBE_AGAIN_MS);
        return;
      }
      setLiveStatus('on');
      // Only from here on does everything arrive: what happened since a page was loaded, or while the connection was
      // down, is only known by asking.
      stale.listening();
    });
  };
  socket.on('connect', subscribe);
  socket.on('disconnect', () => {
    setLiveStatus('off');
    knockAgain();
  });
  socket.on('connect_error', () => {
    setLiveStatus('off');
    knockAgain();
  });
  socket.on('telemetry', (message) => {
    cache.setQueryData<LatestTelemetry>(keys.latestTelemetry(farmId), (known) =>
      // Before the first load there is nothing to fold into, and the load brings what this message says.
      known ? foldTelemetry(known, message) : known,
    );
  });
  socket.on('means', (means) => {
    cache.setQueryData<LatestTelemetry>(
      keys.latestTelemetry(farmId),
      (known) => known && { ...known, ...means },
    );
  });
  for (const message of staleMessages) {
    socket.on(message, (payload: LiveEvents[typeof message]) => stale.heard(message, payload));
  }
  socket.on('command', (command) => foldCommand(cache, farmId, command, stale));
  socket.on('verdict', (verdict) => {
    cache.setQueryData(keys.verdict(farmId), verdict);
    // Of its reasons it is made; that something was heard again no other message tells.
    stale.note(keys.exceptions(farmId));
  });
  socket.on('reload', () => stale.everythingSoon());
  socket.connect();
  return () => {
    closed = true;
    clearTimeout(knock);
    stale.close();
    socket.disconnect();
    setLiveStatus('off');
  };
}

/** Writes how far a command got under its key, if a screen follows it. */
function foldCommand(cache: QueryClient, farmId: string, command: Command, stale: Stale): void {
  const queryKey = keys.command(farmId, command.command_id);
  const query = cache.getQueryCache().find<Command>({ queryKey });
  // Rules send commands all day: only those that somebody looks at are kept.
  if (!query) return;
  // The answer to a question asked before this message must not overwrite it for good.
  if (query.state.fetchStatus === 'fetching') stale.note(queryKey);
  if (query.state.data && query.state.data.changed_at > command.changed_at) return;
  cache.setQueryData<Command>(queryKey, command);
}
