// Who decides about each device: every device once, in the lane that the server says, by house; a tap shows all that has a say.
import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { owner, serve, showConsole } from '../../test-console';
import { byLane, type HeldDevice, housesOf, type Lane, lanes, shownLanes } from './lanes';

function held(id: string, lane: Lane, house: string | null, more: Partial<HeldDevice> = {}): HeldDevice {
  const step = { decides: true, action: 'on', value: null, since: null, until: null, rule: null } as const;
  return {
    id,
    name: `Device ${id}`,
    type: 'fan',
    scope: {
      type: house === null ? 'farm' : 'polyhouse',
      ...(house !== null && { polyhouseId: house }),
    } as HeldDevice['scope'],
    online: true,
    reported: true,
    lane,
    holder: { ...step, kind: lane, text: `held by ${lane}` } as HeldDevice['holder'],
    others: [],
    ...more,
  };
}

const compare = (a: string, b: string) => a.localeCompare(b);

describe('lanes', () => {
  it('have each device once, whatever there is', () => {
    const devices = Array.from({ length: 60 }, (_, n) =>
      held(String(n), lanes[(n * 7) % lanes.length] as Lane, n % 4 === 0 ? null : `ph-${n % 3}`),
    );
    const houses = housesOf(devices, [{ id: 'ph-0', name: 'Zeta' }], 'Farm', compare);
    const found = houses.flatMap(({ byLane: own }) => [...own.values()].flat().map(({ id }) => id));
    expect(found.toSorted()).toEqual(devices.map(({ id }) => id).toSorted());
    for (const house of houses)
      for (const [lane, own] of house.byLane) expect(own.every((device) => device.lane === lane)).toBe(true);
    expect(houses.map(({ name }) => name)).toEqual(['ph-1', 'ph-2', 'Zeta', 'Farm']);
    expect([...byLane(devices, compare).keys()]).toEqual(lanes);
  });

  it('that are rare are drawn only where something is in them', () => {
    expect(shownLanes([held('a', 'claim', null)])).toEqual(['lock', 'manual', 'claim', 'rest']);
    expect(shownLanes([held('a', 'limit', null)])).toEqual(['lock', 'manual', 'limit', 'claim', 'rest']);
  });
});

function farmWith() {
  const rule = { ...held('x', 'claim', 'ph-1').holder, text: 'Rule Cool wants it on', decides: false };
  const devices = [
    held('fan', 'manual', 'ph-1', { others: [rule] }),
    held('pump', 'rest', null, { online: false }),
  ];
  serve({
    'GET /api/farms/demo-farm-1/holders': { body: { at: Date.now(), devices } },
    'GET /api/farms/demo-farm-1/polyhouses': { body: [{ id: 'ph-1', name: 'House 1', zones: [] }] },
    'GET /api/farms/demo-farm-1/devices/fan/explanation': {
      body: {
        id: 'fan',
        name: 'Device fan',
        at: Date.now(),
        online: true,
        reported: true,
        until: null,
        notes: [],
        steps: [{ ...rule, kind: 'manual', text: 'Ravi has it', decides: true }],
      },
    },
  });
}

it('has the lanes as columns on a desk, house by house', async () => {
  farmWith();
  showConsole('/automation/holders', owner);
  const table = await screen.findByRole('table');
  await within(table).findByText('House 1');
  const lines = within(table)
    .getAllByRole('row')
    .map((row) => [...row.children].map((cell) => cell.textContent));
  expect(lines).toEqual([
    ['Polyhouse', 'Stopped or locked', 'Manual', 'Rule', 'Default setting'],
    ['House 1', 'none', 'Device fanonheld by manualAlso: Rule Cool wants it on', 'none', 'none'],
    ['Whole farm', 'none', 'none', 'none', 'Device pumpNo contactheld by rest'],
  ]);
});

it('has one lane below the other on a phone, and everything that has a say at a tap', async () => {
  const wide = window.matchMedia('');
  vi.spyOn(window, 'matchMedia').mockReturnValue({ ...wide, matches: false });
  farmWith();
  const { person } = showConsole('/automation/holders', owner);
  const manual = await screen.findByRole('region', { name: /^Manual/ });
  const card = within(manual).getByRole('button');
  expect(card.textContent).toBe('Device fanonHouse 1held by manualAlso: Rule Cool wants it on');
  const rest = screen.getByRole('region', { name: /^Default setting/ });
  expect(within(rest).getByRole('button').textContent).toContain('No contact');
  expect(screen.queryByRole('region', { name: /^Rule/ })).toBeNull();
  await person.click(card);
  const dialog = await screen.findByRole('dialog', { name: 'Device fan' });
  expect(await within(dialog).findByText('Ravi has it')).toBeDefined();
  expect(within(dialog).getByRole('link').getAttribute('href')).toBe('/automation/manual?device=fan');
});
