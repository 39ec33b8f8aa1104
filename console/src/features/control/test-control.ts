// Manual control on the screen, as its tests open it: devices, their locks, and a server that has them.
import { screen, waitFor, within } from '@testing-library/react';
import { expect } from 'vitest';
import type { Device } from '../../screen/device';
import { type Answer, farmAs, owner, serve, showConsole } from '../../test-console';

type DeviceLock = Device['state']['locks'][number];

export const base = '/api/farms/demo-farm-1';
const off = { action: 'off', value: 0 } as const;
const inHouse = {
  type: 'polyhouse' as const,
  farmId: 'demo-farm-1',
  polyhouseId: 'p1',
  name: 'Polyhouse 1',
  path: 'Farm / Polyhouse 1',
};

/** Limits of which nothing is used, and by which nothing is held. */
export const unused: NonNullable<Device['limits_state']> = {
  held: null,
  held_until: null,
  starts: 0,
  used_sec: 0,
  left_sec: null,
  used_ml: 0,
  left_ml: null,
  day_ends: null,
  groups: [],
};

/** A pump of a polyhouse, but for what is given. */
export function device(
  id: string,
  fields: Partial<Device> = {},
  state: Partial<Device['state']> = {},
): Device {
  return {
    etag: 'v1',
    id,
    name: id,
    type: 'pump',
    supportedActions: [
      { action: 'on' },
      { action: 'off' },
      { action: 'pulse', parameterType: 'seconds', minValue: 1, maxValue: 60 },
    ],
    state: {
      value: 0,
      on: false,
      mode: 'auto',
      source: 'system',
      lock: null,
      locks: [],
      safety: false,
      manualOverrideUntil: null,
      ...state,
    },
    scope: inHouse,
    online: true,
    lastUpdated: Date.now(),
    gone: false,
    controller: null,
    rest: off,
    safe: off,
    leaseEnd: null,
    max_on_sec: null,
    max_pulse_sec_per_hour: null,
    limits: null,
    limits_state: null,
    desired: off,
    desired_by: 'rest',
    pulse: null,
    claims: [],
    last_sent: null,
    on_since: null,
    max_on_at: null,
    ...fields,
  };
}

/** The state of a device with one lock. */
export function locked(kind: DeviceLock['kind'], reason: string, by: DeviceLock['by'] = null) {
  return { lock: reason, locks: [{ kind, reason, by, since: null }] } as const satisfies Partial<
    Device['state']
  > as { lock: string; locks: DeviceLock[] };
}

const percent = { parameterType: 'percentage', minValue: 0, maxValue: 100 };
/** A rule that starts above 32 °C and stops below 30.5. */
const cooling = {
  id: 'r1',
  name: 'Cool above 32',
  scope: inHouse,
  trigger: { sensor_type: 'temperature', operator: 'gt', value: 32, duration_sec: 10 },
  stop_condition: { sensor_type: 'temperature', operator: 'lt', value: 30.5, duration_sec: 120 },
  actions: [],
  status: { phase: 'running', since: 1_763_706_600_000 },
};
/** A fan with a speed. */
export const fan = device('Fan', {
  type: 'fan',
  supportedActions: [{ action: 'on' }, { action: 'off' }, { action: 'set_speed', ...percent }],
});
/** Opens manual control with these devices, once they are listed. */
export async function page(devices: Device[], answers: Record<string, Answer> = {}, role = 'OWNER', at = '') {
  const server = serve({
    'GET /api/farms': { body: [farmAs(role)] },
    [`GET ${base}/devices`]: { body: devices },
    [`GET ${base}/polyhouses`]: {
      body: [{ id: 'p1', name: 'Polyhouse 1', zonesCount: 0, capacity: null, isActive: true, zones: [] }],
    },
    [`GET ${base}/rules`]: { body: [cooling] },
    ...answers,
  });
  const view = showConsole(`/automation/manual${at}`, owner);
  await screen.findByText('Manual Device Control', { selector: 'h1' });
  await waitFor(() => expect(document.querySelectorAll('[data-device]')).toHaveLength(devices.length));
  const card = (name: string) =>
    within(screen.getByRole('heading', { level: 3, name }).closest('li') as HTMLElement);
  const sent = () => server.calls.filter(({ call }) => call === `POST ${base}/commands`);
  const choose = (name: string) => view.person.click(screen.getByRole('button', { name }));
  return { ...view, server, card, sent, choose };
}
