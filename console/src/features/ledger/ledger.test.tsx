// The ledger of a reservoir: days by devices, who decided it, what was measured, and the file.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { owner, serve, showConsole } from '../../test-console';
import { csvOf } from '../../ui/csv';
import { rowsOf } from './file';
import type { Ledger, Ran, Reading } from './queries';

const path = '/api/farms/demo-farm-1/reservoirs';
const route = `GET ${path}/tank-1/ledger`;

const ran = (more: Partial<Ran> = {}): Ran => ({
  device_id: 'drip',
  name: 'Drip valve',
  type: 'valve',
  shares: [],
  on_sec: 0,
  ml: 0,
  unknown_sec: 0,
  ...more,
});

const reading = (more: Partial<Reading> = {}): Reading => ({
  sensor_id: 'meter',
  ml: 0,
  unknown_sec: 0,
  restarts: 0,
  computed_ml: 0,
  differs: false,
  ...more,
});

const watered = ran({
  shares: [
    { cause: 'manual', by: '=Sunita, "S"', on_sec: 1_200, ml: 120_000 },
    { cause: 'rule', by: 'Morning drip', on_sec: 3_000, ml: 300_000 },
  ],
  on_sec: 4_200,
  ml: 420_000,
  unknown_sec: 2_400,
});
const acid = ran({ device_id: 'acid', name: 'Acid', type: 'dosing_pump', on_sec: 90, ml: null });
const less = reading({ ml: 310_000, computed_ml: 420_000, differs: true, restarts: 1 });

const ledger: Ledger = {
  days: [
    { day: '2026-11-20', devices: [ran(), ran({ ...acid, on_sec: 0, ml: 0 })], meters: [reading()] },
    { day: '2026-11-21', devices: [watered, acid], meters: [less] },
  ],
  sums: { devices: [watered, acid], meters: [less] },
  meters: [{ sensor_id: 'meter', name: null, type: 'volume', devices: ['drip'] }],
  budgets: [
    { device_id: 'acid', name: 'Acid', left_sec: null, left_ml: 640, sec_per_day: null, ml_per_day: 1_000 },
  ],
  incomplete: false,
};

const reservoir = {
  id: 'tank-1',
  etag: '1',
  name: 'North tank',
  capacity: null,
  currentLevel: null,
  levelPercent: null,
  lastRefill: null,
};

const show = (body: Ledger) => {
  const server = serve({ [route]: { body }, [`GET ${path}`]: { body: [reservoir] } });
  return { ...showConsole('/reservoirs/tank-1', owner), server };
};

const row = (day: string) => {
  const found = document.querySelector<HTMLElement>(`[data-day="${day}"]`);
  if (!found) throw new Error(`no row of ${day}`);
  return found;
};

it('shows the days, the sum first, and what is not known in words', async () => {
  show(ledger);
  expect(await screen.findByText('North tank')).toBeDefined();
  const days = [...document.querySelectorAll('[data-day]')].map((each) => each.getAttribute('data-day'));
  expect(days).toEqual(['sum', '2026-11-21', '2026-11-20']);
  const cells = within(row('2026-11-21')).getAllByRole('cell');
  expect(cells[1]?.textContent).toBe('420 L1 h 10 minnot known for 40 min');
  expect(cells[2]?.textContent).toBe('2 minFlow not set');
  expect(cells[3]?.textContent).toBe('310 Lcomputed 420 L');
  expect(within(row('2026-11-20')).getAllByRole('cell')[1]?.textContent).toBe('–');
  expect(screen.getByText('640 ml of 1 L')).toBeDefined();
  const alert = screen.getByRole('alert');
  expect(alert.textContent).toContain('measured 310 L, computed 420 L: flow set wrong, or a blocked filter?');
});

it('unfolds a day to who had decided it', async () => {
  const { person } = show(ledger);
  await person.click(await screen.findByRole('button', { name: '21 Nov 2026' }));
  const shares = document.querySelector<HTMLElement>('[data-shares="drip"]');
  expect(shares?.textContent).toContain('Rule: Morning drip300 L · 50 min');
  expect(shares?.textContent).toContain('=Sunita, "S"120 L · 20 min');
  expect(screen.getByText(/The meter started over 1 time/)).toBeDefined();
});

it('asks for as many days as wished, and says where nothing belongs to the reservoir', async () => {
  const none = { ...ledger, days: [], sums: { devices: [], meters: [] }, meters: [], budgets: [] };
  const { person, server } = show(none);
  expect(await screen.findByText(/No pump, valve, fogger or dosing pump/)).toBeDefined();
  await person.selectOptions(screen.getByRole('combobox', { name: 'How far back' }), '92 days');
  const { from, to } = server.calls.filter(({ call }) => call === route).at(-1)?.query ?? {};
  expect((Date.parse(to ?? '') - Date.parse(from ?? '')) / 86_400_000).toBe(91);
});

/** Reads a file as RFC 4180 has it and nothing else: CRLF after each line, quotes only around whole cells and doubled within. */
function strictly(text: string): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quoted = /^"((?:[^"]|"")*)"(?=,|\r\n)/.exec(text.slice(at));
    const plain = /^([^",\r\n]*)(?=,|\r\n)/.exec(text.slice(at));
    const found = quoted ?? plain;
    if (!found) throw new Error(`no cell at ${at}: ${text.slice(at, at + 40)}`);
    cells.push(quoted ? (quoted[1] ?? '').replaceAll('""', '"') : (found[1] ?? ''));
    at += found[0].length;
    if (text.startsWith('\r\n', at)) {
      rows.push(cells);
      cells = [];
      at += 2;
    } else at += 1;
  }
  if (cells.length > 0) throw new Error('the last line does not end');
  return rows;
}

it('makes a file that a strict reader takes, with a line for each day, device and who', () => {
  const rows = rowsOf(ledger, {
    heads: ['Day', 'What', 'Kind', 'By', 'Seconds', 'Computed', 'Measured'],
    kind: ({ type }) => type,
    meter: ({ sensor_id }) => sensor_id,
    who: ({ cause, by }) => by ?? cause,
    measured: 'measured',
    notKnown: 'not known',
  });
  const text = csvOf(rows);
  expect(text.startsWith('\uFEFF')).toBe(true);
  const read = strictly(text.slice(1));
  expect(read).toEqual([
    ['Day', 'What', 'Kind', 'By', 'Seconds', 'Computed', 'Measured'],
    ['2026-11-20', 'meter', 'volume', 'measured', '', '', '0'],
    ['2026-11-21', 'Drip valve', 'valve', '\'=Sunita, "S"', '1200', '120', ''],
    ['2026-11-21', 'Drip valve', 'valve', 'Morning drip', '3000', '300', ''],
    ['2026-11-21', 'Drip valve', 'valve', 'not known', '2400', '', ''],
    ['2026-11-21', 'meter', 'volume', 'measured', '', '', '310'],
  ]);
  expect(() => strictly('a"b,c\r\n')).toThrow();
  expect(() => strictly('"a"b,c\r\n')).toThrow();
  expect(() => strictly('a,b')).toThrow();
});
