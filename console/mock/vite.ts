// Answers the api's requests inside Vite's own server, so that no worker is put between the page and its network.
import { Readable } from 'node:stream';
import { getResponse } from 'msw';
import { Server } from 'socket.io';
import type { Connect, Plugin } from 'vite';
import { handlers } from './handlers';

const API = /^\/(api|auth|onboarding)\//;

/** Whether a browser asks for a screen there. */
const isScreen = (request: Connect.IncomingMessage) => request.headers.accept?.includes('text/html') ?? false;

export function mockApi(): Plugin {
  return {
    name: 'harit-mock',
    configureServer({ httpServer, middlewares }) {
      // Live connections are taken, and nothing ever happens on them.
      const live = new Server({ path: '/socket.io', serveClient: false });
      if (httpServer) live.attach(httpServer);
      live.on('connection', (socket) =>
        socket.on('subscribe', (wish: { farmId: string }, told: (answer: object) => void) =>
          told({ ok: true, farmId: wish.farmId }),
        ),
      );
      middlewares.use(async (asked, answered, next) => {
        if (!API.test(asked.url ?? '') || isScreen(asked)) return next();
        const hasBody = asked.method !== 'GET' && asked.method !== 'HEAD';
        const request = new Request(new URL(asked.url ?? '/', 'http://127.0.0.1'), {
          method: asked.method ?? 'GET',
          headers: asked.headers as Record<string, string>,
          ...(hasBody && { body: Readable.toWeb(asked) as ReadableStream, duplex: 'half' }),
        });
        const response = await getResponse(handlers, request);
        if (!response) return next();
        answered.writeHead(response.status, Object.fromEntries(response.headers));
        answered.end(Buffer.from(await response.arrayBuffer()));
      });
    },
  };
}
