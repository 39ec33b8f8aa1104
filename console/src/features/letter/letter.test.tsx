import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { owner, serve, showConsole } from '../../test-console';
import { shifted } from './days';
import type { Letter, Week } from './queries';

vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const HOUR = 3_600_000;
/** Midnight of 20 November 2026 in India. */
const from = Date.parse('2026-11-19T18:30:00Z');
const hour = (of: number, mean: number) => ({ from: from + of * HOUR, until: from + (of + 1) * HOUR, mean });

const device = (id: string, name: string, more: Partial<Letter['devices'][number]> = {}) => ({
  id,
  name,
  type: 'fan' as const,
  scope: { type: 'polyhouse' as const, polyhouseId: 'p1', path: 'Sahyadri / House 1' },
  polyhouseId: 'p1',
  onSec: 0 as number | null,
  unknownSec: 0,
  starts: 0 as number | null,
  byRuleSec: 0,
  byHandSec: 0,
  otherwiseSec: 0,
  longest: null,
  litres: null,
  ...more,
});

const letter: Letter = {
  day: '2026-11-20',
  from,
  until: from + 24 * HOUR,
  knownUntil: from + 24 * HOUR,
  readyAt: from + 19 * HOUR,
  isTold: true,
  houses: [
    {
      id: 'p1',
      name: 'House 1',
      hottest: hour(14, 34.2),
      coldest: hour(5, 16.1),
      highest: { at: from + 14.5 * HOUR, value: 36.4 },
      lowest: { at: from + 5.25 * HOUR, value: 15.8 },
      unknownSec: 1_800,
      deficit: { mean: 1.2, highest: hour(14, 2.9), lowest: hour(5, 0.2), knownSec: 80_000 },
      targets: [
        {
          crop: 'Capsicum',
          zone: 'North',
          sensorType: 'temperature',
          unit: '°C',
          min: 18,
          max: 30,
          withinSec: 70_200,
          belowSec: 0,
          aboveSec: 7_800,
          unknownSec: 0,
          firstAt: from + 13 * HOUR,
        },
      ],
      outsideSec: 7_800,
      outsideUnknownSec: 0,
    },
    {
      id: 'p2',
      name: 'House 2',
      hottest: null,
      coldest: null,
      highest: null,
      lowest: null,
      unknownSec: null,
      deficit: null,
      targets: [],
      outsideSec: null,
      outsideUnknownSec: 0,
    },
  ],
  devices: [
    device('f1', 'Fan 1', {
      onSec: 19_200,
      starts: 12,
      byRuleSec: 18_000,
      byHandSec: 1_200,
      unknownSec: 600,
      longest: { from: from + 13 * HOUR, until: from + 15 * HOUR },
    }),
    device('f2', 'Fan 2'),
    device('f3', 'Fan 3', { onSec: null, starts: null, unknownSec: 86_400 }),
  ],
  rules: [],
  alerts: [],
  people: [{ name: 'Ravi', commands: 2, failed: 1, stops: 0, locks: 0, tasks: 1, changes: 0 }],
  away: [],
  fellSilent: 0,
  unheard: [{ from: from + HOUR, until: from + 2 * HOUR }],
  written: { harvests: [{ crop: 'Capsicum', kg: 12.5, wasteKg: 0 }], stock: [], sales: null, expenses: null },
  ahead: null,
  logCut: false,
  incomplete: false,
};

const at = '/api/farms/demo-farm-1';

function shown(path: string, more: Partial<Letter> = {}, answers: Parameters<typeof serve>[0] = {}) {
  const server = serve({
    [`GET ${at}/letter`]: { body: { ...letter, ...more } },
    [`PUT ${at}/letter/choice`]: { status: 204 },
    ...answers,
  });
  return { ...showConsole(path, owner), server };
}

const target = (
  sensorType: Letter['houses'][number]['targets'][number]['sensorType'],
  min: number,
  max: number,
  more: Partial<Letter['houses'][number]['targets'][number]> = {},
) => ({
  crop: 'Capsicum',
  zone: 'North',
  sensorType,
  unit: '',
  min,
  max,
  withinSec: 86_400,
  belowSec: 0,
  aboveSec: 0,
  unknownSec: 0,
  firstAt: null,
  ...more,
});

/** A part of the letter, line by line. */
async function linesOf(name: string) {
  const part = within(await screen.findByRole('region', { name }));
  return part.getAllByRole('listitem').map((line) => line.textContent);
}

describe('a letter', () => {
  it('begins with what a crop had not as it wanted, and says the rest of a crop at once', async () => {
    const [house] = letter.houses;
    if (!house) throw new Error('no house');
    const targets = [
      target('temperature', 11, 34),
      target('ph', 5.8, 6.9),
      target('ec', 1.1, 2.2, {
        withinSec: 79_200,
        aboveSec: 7_200,
        firstAt: from + 13 * HOUR,
      }),
      target('humidity', 60, 80, { crop: 'Tomato', withinSec: 82_800, unknownSec: 3_600 }),
      target('temperature', -2, 30, { crop: 'Tomato' }),
    ];
    shown('/letter?day=2026-11-20', { houses: [{ ...house, targets }] });
    expect(await linesOf('House 1')).toEqual([
      'Capsicum in North wanted: EC 1.1 to 2.2 mS/cmabove for 2 h · as wanted for 22 h · first missed at 1:00 pm',
      expect.stringContaining('Hottest'),
      expect.stringContaining('Coldest'),
      expect.stringContaining('VPD'),
      'Temperature not known for 30 min',
      'Tomato in NorthHumidity 60 to 80%: as wanted for 23 h · Not known for 1 h',
      'Capsicum in NorthTemperature 11 to 34 °C and pH 5.8 to 6.9: as wanted for 24 h',
      'Tomato in NorthTemperature -2 to 30 °C: as wanted for 24 h',
    ]);
  });

  it('says once for how long nothing is known of a whole house', async () => {
    const away = (id: string, unknownSec: number) =>
      device(id, `Fan ${id}`, { onSec: 3_600, starts: 1, byRuleSec: 3_600, unknownSec });
    shown('/letter?day=2026-11-20', {
      devices: [away('1', 1_320), away('2', 1_320), { ...away('3', 600), polyhouseId: null }],
    });
    expect(await linesOf('Devices')).toEqual([
      'Fan 1: on for at least 1 hswitched on 1 time · by rules: 1 h',
      'Fan 2: on for at least 1 hswitched on 1 time · by rules: 1 h',
      'For all of them: not known for 22 min',
      'Fan 3: on for at least 1 hswitched on 1 time · by rules: 1 h · Not known for 10 min',
    ]);
  });

  it('says of a device once what it says, under its house', async () => {
    const at = (hours: number, seconds: number) => ({
      from: from + hours * HOUR,
      until: from + hours * HOUR + seconds * 1_000,
    });
    const north = { type: 'zone' as const, name: 'North', path: 'House 1 / North' };
    const ran = (id: string, name: string, onSec: number, starts: number, longest: number, more = {}) =>
      device(id, name, { onSec, starts, byRuleSec: onSec, longest: at(8, longest), ...more });
    shown('/letter?day=2026-11-20', {
      devices: [
        ran('d1', 'Acid pump', 90, 18, 5),
        ran('d2', 'Well pump', 720, 1, 720),
        ran('d3', 'Fan 1', 8_140, 32, 330),
        ran('d4', 'Siren', 20, 1, 20, { byRuleSec: 0, byHandSec: 20, polyhouseId: null }),
        ran('d5', 'Drip valve', 1_920, 3, 960, { scope: north, byRuleSec: 1_860, byHandSec: 60 }),
        device('d6', 'Drip valve', { scope: { ...north, name: 'South' } }),
        ran('d7', 'Vent', 600, 0, 600, { byRuleSec: 0, otherwiseSec: 600, unknownSec: 60 }),
      ],
    });
    expect(await linesOf('Devices')).toEqual([
      'Acid pump: on for 1 min 30 sswitched on 18 times · by rules · longest 5 s at 8:00 am',
      'Well pump: on for 12 minfrom 8:00 am to 8:12 am · by rules',
      'Fan 1: on for 2 h 16 minswitched on 32 times · by rules · longest from 8:00 am to 8:05 am',
      'Drip valve, North: on for 32 minswitched on 3 times · by rules: 31 min · by people: 1 min · longest from 8:00 am to 8:16 am',
      'Vent: on for at least 10 minotherwise: 10 min · longest from 8:00 am to 8:10 am · Not known for 1 min',
      'Off all the time: Drip valve, South',
      'Siren: on for 20 sat 8:00 am · by people',
    ]);
    expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
      'House 1',
      'Of no polyhouse',
    ]);
  });

  it('tells hours, targets and devices, and where it is not known it says so', async () => {
    shown('/letter?day=2026-11-20');
    const house = within(await screen.findByRole('region', { name: 'House 1' }));
    const hottest = house.getByRole('link', { name: /Hottest from 2 pm to 3 pm: 34.2 °C on average/ });
    expect(hottest.getAttribute('href')).toBe(`/day?polyhouse=p1&at=${from + 14.5 * HOUR}`);
    expect(hottest.textContent).toContain('Highest reading: 36.4 °C at 2:30 pm');
    expect(house.getByText('Temperature not known for 30 min')).toBeDefined();
    expect(house.getByText(/Capsicum in North wanted: Temperature 18 to 30 °C/)).toBeDefined();
    expect(house.getByText(/above for 2 h 10 min · as wanted for 19 h 30 min/)).toBeDefined();
    const other = within(screen.getByRole('region', { name: 'House 2' }));
    expect(other.getByText('Nothing measures the temperature here.')).toBeDefined();
    const devices = within(screen.getByRole('region', { name: 'Devices' }));
    expect(devices.getByText(/Fan 1: on for at least 5 h 20 min/)).toBeDefined();
    expect(devices.getByText(/switched on 12 times · by rules: 5 h · by people: 20 min/)).toBeDefined();
    expect(devices.getByText(/Off all the time: Fan 2/)).toBeDefined();
    expect(devices.getByText(/Nothing is known of Fan 3/)).toBeDefined();
    expect(screen.getByText('No rule started.')).toBeDefined();
    expect(
      screen.getByText('2 commands to devices · 1 of them not carried out · 1 task closed'),
    ).toBeDefined();
    expect(screen.getByText(/No sensor at all was heard from 1:00 am to 2:00 am/)).toBeDefined();
    expect(screen.getByText('Picked: Capsicum, 12.5 kg')).toBeDefined();
    expect(screen.queryByText(/sale/)).toBeNull();
    expect(screen.queryByRole('region', { name: 'To look at tomorrow' })).toBeNull();
  });

  it('turns to the days around it, and of today says up to when it is told', async () => {
    shown('/letter', {
      knownUntil: from + 19 * HOUR,
      ahead: {
        alerts: [{ id: 'a', name: 'Hot', since: from }],
        manual: [{ id: 'f1', name: 'Fan 1', until: from + 20 * HOUR, by: 'Ravi' }],
        locked: [],
        away: [],
        silent: [],
        tasks: [{ id: 't', title: 'Flush', dueDate: '2026-11-21', overdue: false }],
        stock: [{ id: 's', name: 'Urea', left: 2, unit: 'BAG' }],
      },
    });
    expect(await screen.findByText('The day goes on. This is told up to 7:00 pm.')).toBeDefined();
    expect(screen.getByRole('link', { name: 'The day before' }).getAttribute('href')).toBe(
      '/letter?day=2026-11-19',
    );
    expect(screen.queryByRole('link', { name: 'The day after' })).toBeNull();
    const ahead = within(screen.getByRole('region', { name: 'To look at tomorrow' }));
    expect(ahead.getByText('Alert: Hot')).toBeDefined();
    expect(ahead.getByText('until 8:00 pm · Ravi')).toBeDefined();
    expect(ahead.getByText('due 21 Nov')).toBeDefined();
    expect(ahead.getByText('2 bags left')).toBeDefined();
  });

  it('is told of or not, as the person chooses', async () => {
    const { person, server } = shown('/letter?day=2026-11-20');
    const tell = await screen.findByRole('switch', { name: 'Tell me at 7 pm that it is ready' });
    await person.click(tell);
    await waitFor(() =>
      expect(server.calls.find(({ call }) => call === `PUT ${at}/letter/choice`)?.body).toEqual({
        isTold: false,
      }),
    );
  });
});

describe('a week', () => {
  const total = {
    hottest: hour(14, 34.2),
    coldest: null,
    outsideSec: 7_800,
    outsideUnknownSec: 600,
    devices: [{ onSec: 19_200, unknownSec: 0 }],
    litres: 12.4,
    harvestKg: null,
  };
  const week: Week = {
    from: '2026-11-16',
    to: '2026-11-22',
    knownUntil: from,
    houses: [
      {
        id: 'p1',
        name: 'House 1',
        kinds: ['fan'],
        days: [{ day: '2026-11-16', ...total, outsideSec: null }],
        total,
      },
    ],
    incomplete: false,
  };

  it('is a table a house, with what is not known and what is at least so', async () => {
    shown('/letter?week=2026-11-20', {}, { [`GET ${at}/letter/week`]: { body: week } });
    const table = within(await screen.findByRole('table'));
    const rows = table.getAllByRole('row').map((row) => row.textContent);
    expect(rows).toEqual([
      'DayHottest hourColdest hourOutside targetsFan, onLitresPicked, kg',
      '16 Nov34.2 °C 2 pmNot knownNot known5 h 20 min12.4–',
      'Week34.2 °C 20 NovNot known≥ 2 h 10 min5 h 20 min12.4–',
    ]);
    expect(screen.getByRole('link', { name: 'The week before' }).getAttribute('href')).toBe(
      '/letter?week=2026-11-09',
    );
  });
});

it('counts days over the ends of months and years', () => {
  expect(shifted('2026-12-31', 1)).toBe('2027-01-01');
  expect(shifted('2028-03-01', -1)).toBe('2028-02-29');
  expect(shifted('2026-11-16', -7)).toBe('2026-11-09');
});
