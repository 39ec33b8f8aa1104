// How the console is built, served while developing, and tested.
import react from '@vitejs/plugin-react';
import type { ProxyOptions } from 'vite';
import { defineConfig } from 'vitest/config';

const server = process.env['HARIT_URL'] ?? 'http://127.0.0.1:8080';

/** A path that is a screen for a browser and the api for everybody else (GET /onboarding/assets). */
const screenOrApi: ProxyOptions = {
  target: server,
  bypass: (request) => (request.headers.accept?.includes('text/html') ? '/index.html' : undefined),
};

export default defineConfig(async ({ mode }) => ({
  // `npm run mock`: without a server, by what a demo answered.
  plugins: [react(), ...(mode === 'mock' ? [(await import('./mock/vite')).mockApi()] : [])],
  resolve: {
    alias: [{ find: /^~icon\/(.*)$/, replacement: '@tabler/icons-react/dist/esm/icons/Icon$1.mjs' }],
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // Fonts must stay files: as data URIs they would load in every language.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // One file of what opens above a page, whichever pages share a part of it: it packs better.
          groups: [
            {
              name: 'windows',
              test: /@mantine\/core\/esm\/components\/(Drawer|Menu|Modal|ModalBase|Popover)\//,
            },
            // And of what nearly every page stands in.
            {
              name: 'page',
              test: /src\/(api\/(me|permissions|farms|keys)|i18n\/failure|screen\/(QueryState|useAction|useDialog)|ui\/(AsOf|Banner|Empty|PageLayout|Panel|StatePill|confirm|toast|tone))\./,
            },
          ],
          includeDependenciesRecursively: false,
        },
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
    testTimeout: 15_000,
  },
}));
