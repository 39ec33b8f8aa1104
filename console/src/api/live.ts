// The real-time connection, and the only importer of socket.io-client. It writes what arrives into the query cache; screens
// never see the socket, only its status.
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { Socket } from 'socket.io-client';
import { farmKey, keys } from './keys';
import { foldTelemetry, type LatestTelemetry, type TelemetryMessage } from './readings';
import { useSession } from './session';

/** `on` while the socket is connected. */
export type LiveStatus = 'off' | 'on';

/** Wait before knocking again when the server itself closed the connection (socket.io then gives up by itself). */
const KNOCK_AGAIN_MS = 2_000;

let status: LiveStatus = 'off';
const listeners = new Set<() => void>();

function setStatus(next: LiveStatus): void {
  if (next === status) return;
  status = next;
  for (const listener of listeners) listener();
}

/** Whether live updates are flowing, for the Live badge. */
export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => status,
  );
}

/** What a live connection needs of socket.io: enough to be played by a test. */
export type OpenSocket = (
  token: string,
) => Promise<Pick<Socket, 'on' | 'emit' | 'connect' | 'disconnect'> & { active: boolean }>;

const openSocket: OpenSocket = async (token) => {
  // Loaded when first needed: the sign-in page does not pay for it.
  const { io } = await import('socket.io-client');
  return io(window.location.origin, {
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    auth: { token },
    autoConnect: false,
    forceNew: true,
    reconnectionDelay: 500,
    reconnectionDelayMax: 3_000,
  });
};

/** Connects for one farm and keeps connected until the returned function is called. */
export function openLive(
  cache: QueryClient,
  farmId: string,
  token: string,
  open: OpenSocket = openSocket,
): () => void {
  let closed = false;
  let close = () => {};
  let knock: ReturnType<typeof setTimeout> | undefined;
  void open(token).then((socket) => {
    if (closed) return;
    let connectedBefore = false;
    const knockAgain = () => {
      if (!socket.active && !closed) {
        clearTimeout(knock);
        knock = setTimeout(() => socket.connect(), KNOCK_AGAIN_MS);
      }
    };
    socket.on('connect', () => {
      setStatus('on');
      socket.emit('subscribe', { farmId });
      // Whatever happened while nobody listened is only known by asking.
      if (connectedBefore) void cache.invalidateQueries({ queryKey: farmKey(farmId) });
      connectedBefore = true;
    });
    socket.on('disconnect', () => {
      setStatus('off');
      knockAgain();
    });
    socket.on('connect_error', () => {
      setStatus('off');
      knockAgain();
    });
    socket.on('telemetry', (message: TelemetryMessage) => {
      if (!Array.isArray(message?.sensors)) return;
      cache.setQueryData<LatestTelemetry>(keys.latestTelemetry(farmId), (known) =>
        // Before the first load there is nothing to fold into, and the load brings what this message says.
        known ? foldTelemetry(known, message) : known,
      );
    });
    close = () => socket.disconnect();
    socket.connect();
  });
  return () => {
    closed = true;
    clearTimeout(knock);
    close();
    setStatus('off');
  };
}

/** Keeps the live connection of the chosen farm open while the calling component is shown. */
export function useLive(farmId: string | undefined): void {
  const cache = useQueryClient();
  const session = useSession();
  const token = session.state === 'authenticated' ? session.token : undefined;
  useEffect(() => {
    if (!farmId || !token) return;
    return openLive(cache, farmId, token);
  }, [cache, farmId, token]);
}
