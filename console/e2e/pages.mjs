// The console's table of pages (src/pages.ts), read as the console itself is built: by Vite.
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const vite = await createServer({
  root: fileURLToPath(new URL('..', import.meta.url)),
  logLevel: 'error',
  appType: 'custom',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
});
const table = await vite.ssrLoadModule('/src/pages.ts');
await vite.close();

/** Every page, with all of its URLs. */
export const pages = table.pages.map((page) => ({
  paths: table.pathsOf(page),
  layout: page.layout ?? 'main',
}));
