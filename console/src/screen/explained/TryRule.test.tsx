// A rule that is tried: how far it is and the way out, and what it would have done beside what was.
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { createCache } from '../../api/cache';
import { loadArea } from '../../i18n/i18n';
import { type Answer, serve } from '../../test-console';
import { TryRule } from './TryRule';

const TO = Date.parse('2026-11-21T06:30:00Z');
const HOUR = 3_600_000;
const FROM = TO - 24 * HOUR;

const device = (n: number, on_ms: number, more: object = {}) => ({
  id: `fan-${n}`,
  name: `Fan ${n}`,
  on_ms,
  starts: 1,
  ml: null,
  held: 0,
  limits_reached: 0,
  intervals: on_ms ? [[FROM + HOUR, FROM + HOUR + on_ms]] : [],
  more: 0,
  ...more,
});
const ran = (fired: number, devices: object[]) => ({
  rules: [{ id: 'r', name: 'Cool', fired, blocked: 0, skipped: 0, suppressed: 0, held: 0, ran_ms: 0 }],
  devices,
});
const found = (more: object = {}) => ({
  from: FROM,
  to: TO,
  approximate: false,
  was: ran(
    0,
    [1, 2, 3, 4, 5].map((n) => device(n, 0)),
  ),
  would: ran(
    1,
    [1, 2, 3, 4, 5].map((n) => device(n, n * HOUR, n === 2 ? { more: 3 } : {})),
  ),
  left_out: 0,
  feedback: [],
  hazards: [],
  ...more,
});
const rule = {
  id: 'r',
  trigger: { sensor_type: 'temperature', operator: 'gt', value: 33 },
  scope: { type: 'polyhouse', polyhouseId: 'p' },
};
const history = {
  from: FROM,
  to: TO,
  stepSec: 3600,
  incomplete: false,
  quantities: [
    {
      points: [24.5, 36.2].map((mean, nth) => ({
        at: FROM + nth * HOUR,
        mean,
        min: mean,
        max: mean,
        sensors: 1,
      })),
    },
  ],
};

async function show(answer: Answer, more: Record<string, Answer> = {}) {
  await loadArea('explained');
  const server = serve({
    'POST /api/farms/f/backtests': answer,
    'GET /api/farms/f/history': { body: history },
    ...more,
  });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={createCache()}>
        <TryRule farmId="f" rule={rule} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  const person = userEvent.setup();
  await person.click(screen.getByRole('button', { name: '30 days' }));
  await person.click(screen.getByRole('button', { name: 'Try on the last days' }));
  return { server, person };
}

it('draws what would have been beside what was, below the signal', async () => {
  const { server } = await show({ body: found({ approximate: true }) });
  await screen.findByText(/averages of each minute/);
  expect(await screen.findByText('Temperature: 24.5 °C to 36.2 °C')).toBeDefined();
  const drawn = screen.getAllByRole('img').map((strip) => strip.getAttribute('aria-label'));
  expect(drawn).toHaveLength(8);
  expect(drawn.slice(0, 2)).toEqual(['Fan 1, Would be: on for 1 h', 'Fan 1, Was: on for 0 s']);
  expect(screen.getByText(/and 1 more device/)).toBeDefined();
  const [tried] = server.calls.filter(({ call }) => call.startsWith('POST'));
  const body = tried?.body as { from: number; name: string };
  expect(Date.now() - body.from).toBeGreaterThan(29 * 24 * HOUR);
  expect(body.name).toMatch(/^[0-9a-f]{32}$/);
});

it('tells how far it is, and is cancelled', async () => {
  const progress = { body: { done: 437 } };
  const { server, person } = await show('never');
  const asked = () => server.calls.find(({ call }) => call.startsWith('GET /api/farms/f/backtests/'));
  await waitFor(() => expect(asked()).toBeDefined());
  server.table[asked()?.call ?? ''] = progress;
  expect((await screen.findAllByText('43 % done')).length).toBeGreaterThan(0);
  await person.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByText('43 % done')).toBeNull());
});
