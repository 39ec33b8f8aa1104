// How the console is built, served while developing, and tested.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { ProxyOptions } from 'vite';
import { defineConfig } from 'vitest/config';
import { chunkNames } from './build/chunks.ts';
import { compressed } from './build/compressed.ts';
import { unusedOfRouter } from './build/router.ts';
import { startOfPage } from './build/start.ts';
import { worker } from './build/worker.ts';

const server = process.env['HARIT_URL'] ?? 'http://127.0.0.1:8080';

/** A path that is a screen for a browser and the api for everybody else (GET /onboarding/assets). */
const screenOrApi: ProxyOptions = {
  target: server,
  bypass: (request) => (request.headers.accept?.includes('text/html') ? '/index.html' : undefined),
};

const alias = [
  { find: /^~icon\/(.*)$/, replacement: '@tabler/icons-react/dist/esm/icons/Icon$1.mjs' },
  // What react-router names is its development build, whatever is built (remix-run/react-router). What Node takes of recharts asks
  // by `require` for a file that is an ECMAScript module.
  ...(process.env['VITEST']
    ? [
        {
          find: /^recharts$/,
          replacement: fileURLToPath(new URL('node_modules/recharts/es6/index.js', import.meta.url)),
        },
      ]
    : [
        {
          find: /^react-router$/,
          replacement: fileURLToPath(
            new URL('node_modules/react-router/dist/production/index.mjs', import.meta.url),
          ),
        },
      ]),
  { find: /^react-i18next$/, replacement: fileURLToPath(new URL('src/i18n/translate.ts', import.meta.url)) },
];

/** The build's grouping of modules in files (build/chunks.ts). */
async function chunkGroups(command: 'build' | 'serve') {
  if (command === 'serve' || process.env['VITEST']) return [];
  const names = await chunkNames([react(), unusedOfRouter()], alias);
  return [{ debugName: 'by page', name: (id: string) => names.get(id) ?? null }];
}

export default defineConfig(async ({ command, mode }) => ({
  // `npm run mock`: without a server, by what a demo answered.
  plugins: [
    react(),
    unusedOfRouter(),
    startOfPage(),
    worker(),
    compressed(),
    ...(mode === 'mock' ? [(await import('./mock/vite')).mockApi()] : []),
  ],
  resolve: { alias },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    modulePreload: {
      // Every browser that knows the console's script knows what it is for.
      polyfill: false,
      // The scripts of pages stand in the plan of the start (src/early.ts), and are not listed once more.
      resolveDependencies: (_: string, files: string[], { hostId }: { hostId: string }) =>
        hostId.startsWith('assets/start-') ? files.filter((file) => file.endsWith('.css')) : files,
    },
    // Fonts must stay files: as data URIs they would load in every language.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: await chunkGroups(command), includeDependenciesRecursively: false },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy:
      mode === 'mock'
        ? {}
        : {
            '/api': server,
            '/auth': server,
            '/socket.io': { target: server, ws: true },
            '/onboarding': screenOrApi,
          },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/test-setup.ts'],
    include: ['src/**/*.test.{ts,tsx}', 'mock/**/*.test.ts', 'scripts/**/*.test.mjs'],
    css: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What fails on a machine that is busy with other tests is tried once more, as browser tests are, and named where it then passes.
    retry: 1,
    // one of two processors otherwise stays idle
    maxWorkers: '100%',
    // Each file has its own globals in a process that stays: a process a file took a third more, and on a busy machine some did not
    // start within the minute that Vitest waits for one.
    pool: 'vmForks',
    server: { deps: { inline: [/recharts/] } },
  },
}));
