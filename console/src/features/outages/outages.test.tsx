// The ledger of outages: what each was and what came of it, pages, and the file.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { owner, serve, showConsole } from '../../test-console';
import { csvOf } from './csv';
import type { Outage } from './queries';

const route = 'GET /api/farms/demo-farm-1/outages';
const AT = Date.parse('2026-11-21T06:30:00Z');
const MINUTE = 60_000;

const entry = (id: string, action: string, more: object = {}) => ({
  id,
  timestamp: AT,
  action,
  userName: null,
  errorMessage: null,
  ...more,
});

const outage = (more: object = {}) =>
  ({
    kind: 'server',
    id: null,
    name: null,
    from: AT - 10 * MINUTE,
    until: AT,
    devices: [],
    with: 0,
    heldOn: [],
    holdsLost: [],
    consequences: [],
    more: 0,
    ...more,
  }) as unknown as Outage;

const page = (items: Outage[], more: object = {}) => ({
  from: AT - 7 * 24 * 60 * MINUTE,
  to: AT,
  total: items.length,
  page: 1,
  pageSize: 20,
  sums: [],
  items,
  cut: false,
  incomplete: false,
  ...more,
});

const missed = { kind: 'missed', entry: entry('1', 'Rule “Drip” did not start') };
const resumed = { kind: 'resumed', entry: entry('2', 'Fan on', { userName: 'Ravi' }) };

it('tells what was missed and what was sent again, by whom', async () => {
  const items = [
    outage({ consequences: [missed, resumed], heldOn: ['Cool'] }),
    outage({ kind: 'controller', id: 'M', name: 'North', until: null, with: 2, devices: ['Fan', 'Vent'] }),
  ];
  const sums = [{ kind: 'server', count: 1, seconds: 600 }];
  const server = serve({ [route]: { body: page(items, { sums, total: 30 }) } });
  const { person } = showConsole('/automation/outages', owner);
  const [first, second] = await screen.findAllByRole('article');
  expect(within(first as HTMLElement).getByRole('heading', { level: 2 }).textContent).toBe('Server off');
  expect(first?.textContent).toMatch(/Missed.*Drip.*Sent again when it was over.*Fan on.*Ravi/);
  expect(first?.textContent).toContain('Conditions that went on waiting: Cool');
  expect(second?.textContent).toMatch(/Controller out of reach: North.*still so/);
  expect(second?.textContent).toContain(
    '2 other controllers were lost at the same time: probably the power.',
  );
  expect(second?.textContent).toContain('Nothing came of it');
  expect(screen.getByText('1 time, 10 min')).toBeDefined();
  await person.click(screen.getByRole('button', { name: 'Earlier' }));
  expect(server.calls.filter(({ call }) => call === route).at(-1)?.query).toMatchObject({ page: '2' });
});

it('says so where there was none, and asks for as many days as wished', async () => {
  const server = serve({ [route]: { body: page([]) } });
  const { person } = showConsole('/automation/outages', owner);
  expect(await screen.findByText('No outage in this time.')).toBeDefined();
  await person.selectOptions(screen.getByRole('combobox', { name: 'How far back' }), '30 days');
  const { from, to } = server.calls.filter(({ call }) => call === route).at(-1)?.query ?? {};
  expect((Number(to) - Number(from)) / (24 * 60 * MINUTE)).toBe(30);
});

it('makes a file with a line each, and nothing that a spreadsheet runs', () => {
  const heads = ['What', 'Which', 'From', 'Until', 'Seconds', 'Came of it'] as const;
  const words = {
    heads,
    kind: (kind: string) => kind,
    cause: (kind: string) => kind,
    local: (at: number) => new Date(at).toISOString(),
  };
  const open = outage({ kind: 'controller', name: '=SUM(A1), x', from: AT, until: null });
  const text = csvOf([outage({ consequences: [missed, resumed] }), open], words, AT + MINUTE);
  expect(text.split('\r\n')).toEqual([
    '\uFEFFWhat,Which,From,Until,Seconds,Came of it',
    'server,,2026-11-21T06:20:00.000Z,2026-11-21T06:30:00.000Z,600,missed: Rule “Drip” did not start; resumed: Fan on',
    'controller,"\'=SUM(A1), x",2026-11-21T06:30:00.000Z,,60,',
    '',
  ]);
});
