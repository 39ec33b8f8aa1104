// The whole console in a test: at a path, against a server that is a table of answers.
import { readFileSync } from 'node:fs';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type Location, MemoryRouter, type NavigateFunction, useLocation, useNavigate } from 'react-router';
import { vi } from 'vitest';
import { createCache } from './api/cache';
import type { components } from './api/schema';
import { restoreSession } from './api/session';
import { Pages } from './routes/router';
import { cssVariables, theme } from './ui/theme';

type Schemas = components['schemas'];

export const owner: Schemas['User'] = {
  id: 'u1',
  name: 'Asha Patil',
  email: 'owner@demo.harit',
  emailVerified: true,
  pendingEmail: null,
  phone: null,
  phoneVerified: false,
  pendingPhone: null,
  role: 'OWNER',
  languagePref: 'en',
  isActive: true,
  onboardingCompleted: true,
  createdAt: 0,
};

type MayOf = Pick<Schemas['Farm'], 'permissions' | 'manages' | 'gives'>;
const document = JSON.parse(readFileSync('../api/openapi.json', 'utf8')) as {
  'x-roles': Record<string, MayOf>;
};

/** The farm as somebody of that role sees it. */
export function farmAs(name: string): Schemas['Farm'] {
  const role = name as Schemas['Farm']['role'];
  const may = document['x-roles'][role];
  if (!may) throw new Error(`no role ${name}`);
  return {
    id: 'demo-farm-1',
    name: 'Sahyadri',
    location: 'Baramati',
    position: null,
    timezone: 'Asia/Kolkata',
    role,
    ...may,
  };
}

export const farm = farmAs('OWNER');

export const summary: Schemas['FarmSummary'] = {
  polyhouses: 2,
  reservoirs: 3,
  zones: 6,
  nurseries: 0,
  inventoryAvailablePercent: null,
  activeAlerts: 0,
  overdueTasks: 1,
  utilizationPercent: null,
  expectedHarvestRevenue: null,
  inventoryCost: null,
  salesRevenue: null,
};

export const weather: Schemas['Weather'] = {
  current: 31.4,
  feelsLike: 34.2,
  humidity: 58,
  wind: 11,
  pressure: 1009,
  source: 'simulator',
  reason: null,
  at: Date.parse('2026-11-21T06:30:00Z'),
};

export const telemetry: Schemas['LatestTelemetry'] = {
  sensors: [],
  houses: {},
  latest: {
    ph: {
      value: 6.87,
      unit: '',
      at: Date.parse('2026-11-21T06:30:00Z'),
      optimal: { low: 6, high: 7 },
      worst: { name: 'Tank B', value: 7.31, optimal: { low: 6, high: 7 } },
    },
    ec: {
      value: 1.62,
      unit: 'mS/cm',
      at: Date.parse('2026-11-21T06:30:00Z'),
      optimal: { low: 1, high: 1.5 },
      worst: null,
    },
  },
};

export const verdict: Schemas['FarmVerdict'] = {
  farm: { verdict: 'well', reasons: [], more: 0 },
  houses: [],
};

/** What a call answers: a body, a body with a status, `down` for a server that is not there, `never` for one that hangs. */
export type Answer = { status?: number; body?: unknown } | 'down' | 'never';

const served: Record<string, Answer> = {
  'GET /auth/me': { body: { user: owner } },
  'POST /auth/logout': { status: 204 },
  'GET /api/demo': { status: 404, body: { error: 'not found', code: 'not_found' } },
  'GET /api/farms': { body: [farm] },
  'GET /api/farms/demo-farm-1/notifications': { body: { unread: 0, items: [] } },
  'GET /api/farms/demo-farm-1/summary': { body: summary },
  'GET /api/farms/demo-farm-1/verdict': { body: verdict },
  'GET /api/farms/demo-farm-1/weather': { body: weather },
  'GET /api/farms/demo-farm-1/latest-telemetry': { body: telemetry },
  'GET /api/farms/demo-farm-1/setpoints': { body: [] },
};

/** Replaces fetch. The table may be changed while the test runs. */
export function serve(answers: Record<string, Answer> = {}) {
  const table: Record<string, Answer> = { ...served, ...answers };
  const calls: {
    call: string;
    query: Record<string, string>;
    headers: Record<string, string>;
    body: unknown;
  }[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const url = new URL(request.url);
    const call = `${request.method} ${url.pathname}`;
    const text = await request.text();
    calls.push({
      call,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(request.headers),
      body: text ? JSON.parse(text) : undefined,
    });
    const reply = table[call] ?? { status: 404, body: { error: 'no such route', code: 'not_found' } };
    if (reply === 'never') return new Promise<Response>(() => {});
    if (reply === 'down') throw new TypeError('connection refused');
    const status = reply.status ?? 200;
    return new Response(status === 204 ? null : JSON.stringify(reply.body), {
      status,
      headers: { 'content-type': 'application/json' },
    });
  });
  return { table, calls };
}

/** Shows the console at a path, signed in as the given user (or not at all). */
export function showConsole(path: string, user?: Schemas['User'] | null) {
  if (user) {
    localStorage.setItem('token', 'secret');
    localStorage.setItem('user', JSON.stringify(user));
  }
  restoreSession();
  const cache = createCache();
  const router = {} as { state: { location: Location }; navigate: NavigateFunction };
  function Here() {
    Object.assign(router, { state: { location: useLocation() }, navigate: useNavigate() });
    return <Pages />;
  }
  const view = render(
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} env="test">
      <QueryClientProvider client={cache}>
        <MemoryRouter initialEntries={[path]} useTransitions={false}>
          <Here />
        </MemoryRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { ...view, router, cache, person: userEvent.setup(), path: () => router.state.location.pathname };
}

/** Answers a question of the page before something that cannot be undone. */
export async function answerTo(
  person: ReturnType<typeof userEvent.setup>,
  question: string | RegExp,
  button: string,
) {
  const dialog = await screen.findByRole('dialog', { name: question });
  await person.click(within(dialog).getByRole('button', { name: button }));
}
