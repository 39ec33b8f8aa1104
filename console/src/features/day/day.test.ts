import { describe, expect, it } from 'vitest';
import type { components } from '../../api/schema';
import { csvOf } from './csv';
import { type DayLog, grown } from './queries';
import { columns, extent, pointAt, type Series, shifted } from './series';
import { busyFirst, isKnown, type Strip, stretchAt, stripsOf } from './strips';
import { DAY, LONGEST, loadFor, logFor, moved, pinched, showing, tickStep, zoomed } from './window';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const point = (minute: number, value: number) => ({
  at: minute * MINUTE,
  mean: value,
  min: value - 1,
  max: value + 1,
});
const series = (...points: Series['points']): Series => ({ id: 's', points, stepMs: MINUTE });

describe('the window', () => {
  it('zooms around an instant, from 400 days to a minute', () => {
    expect(zoomed({ from: 0, to: 100 * HOUR }, 2, 25 * HOUR)).toEqual({ from: 12.5 * HOUR, to: 62.5 * HOUR });
    const near = zoomed({ from: 0, to: HOUR }, 1e9, 0);
    expect(near.to - near.from).toBe(MINUTE);
    const far = zoomed({ from: 0, to: HOUR }, 1e-9, 0);
    expect(far.to - far.from).toBe(LONGEST);
  });

  it('keeps under two fingers what they hold', () => {
    const held = [10 * HOUR, 20 * HOUR] as const;
    const { from, to } = pinched(held, [0.25, 0.75]) ?? { from: 0, to: 0 };
    expect(from + 0.25 * (to - from)).toBe(held[0]);
    expect(from + 0.75 * (to - from)).toBe(held[1]);
    expect(pinched(held, [0.5, 0.501])).toBeUndefined();
  });

  it('moves just so far that an instant is in it', () => {
    const day = { from: DAY, to: 2 * DAY };
    expect(showing(day, 1.5 * DAY)).toBe(day);
    expect(showing(day, DAY - HOUR)).toEqual({ from: DAY - HOUR, to: 2 * DAY - HOUR });
    expect(showing(day, 2 * DAY + 5)).toEqual({ from: DAY + 5, to: 2 * DAY + 5 });
  });

  it('loads the same while it is moved within a block, and no more points than a picture needs', () => {
    const first = { from: 1_000 * DAY, to: 1_001 * DAY };
    expect(loadFor(moved(first, HOUR))).toEqual(loadFor(first));
    for (const length of [MINUTE, HOUR, 12 * HOUR, DAY, 4 * DAY, 30 * DAY, 31 * DAY, 366 * DAY, LONGEST])
      for (const start of [0, 0.37, 0.99].map((part) => Math.round(20_000 * DAY + part * length))) {
        const { from, to, step, strips } = loadFor({ from: start, to: start + length });
        expect(from <= start && to >= start + length).toBe(true);
        expect((to - from) / step).toBeLessThanOrEqual(2_500);
        if (strips) expect(to - from).toBeLessThanOrEqual(92 * DAY);
      }
  });

  it('reads of the log what lies around it, in whole blocks', () => {
    const from = 20_000 * DAY - 5.5 * HOUR;
    const read = logFor({ from, to: from + DAY });
    expect(read).toEqual({ from: 20_000 * DAY - 12 * HOUR, to: 20_001 * DAY });
    expect(logFor({ from: from + HOUR, to: from + HOUR + DAY })).toEqual(read);
  });

  it('has few names on its axis', () => {
    expect(tickStep({ from: 0, to: DAY }, 5)).toBe(6 * HOUR);
    expect(tickStep({ from: 0, to: MINUTE }, 5)).toBe(MINUTE / 4);
    expect(LONGEST / tickStep({ from: 0, to: LONGEST }, 5)).toBeLessThanOrEqual(5);
  });
});

describe('a series', () => {
  it('has the value of the step in which an instant lies, and none in a gap', () => {
    const all = series(point(0, 20), point(1, 21), point(5, 30));
    expect(pointAt(all, MINUTE - 1)?.mean).toBe(20);
    expect(pointAt(all, MINUTE)?.mean).toBe(21);
    expect(pointAt(all, 3 * MINUTE)).toBeUndefined();
    expect(pointAt(all, -1)).toBeUndefined();
    expect(pointAt(all, 6 * MINUTE)).toBeUndefined();
  });

  it('breaks where a step is missing and keeps the peak of what falls on one pixel', () => {
    const window = { from: 0, to: 10 * MINUTE };
    const all = series(point(0, 20), point(1, 90), point(2, 21), point(6, 22));
    expect(columns(all, window, 1_000).map(({ joined }) => joined)).toEqual([false, true, true, false]);
    const [one, other] = columns(all, window, 2);
    expect(one).toMatchObject({ first: 20, last: 21, min: 19, max: 91 });
    expect(other).toMatchObject({ first: 22, joined: false });
    expect(extent([all], window)).toEqual({ low: 19, high: 91 });
    expect(extent([series()], window)).toBeUndefined();
  });

  it('lies a day later as a ghost', () => {
    expect(pointAt(shifted(series(point(0, 20)), DAY), DAY)?.mean).toBe(20);
  });
});

type Entry = components['schemas']['LogEntry'];
const entry = (at: number, kind: string, more: Partial<Entry> = {}): Entry => ({
  id: `${at}`,
  timestamp: at,
  type: 'rule_trigger',
  userId: null,
  userName: null,
  ruleId: null,
  ruleName: null,
  deviceId: null,
  deviceName: null,
  action: kind,
  result: 'success',
  errorMessage: null,
  scope: null,
  ...more,
  details: { kind, commands: [], ...more.details },
});

describe('strips', () => {
  const cool = { ruleId: 'r1', ruleName: 'Cool' };
  const hot = { details: { kind: 'alert_raised', commands: [], alert: { id: 'a1', name: 'Hot' } } };
  const strips = stripsOf(
    [
      entry(90, 'rule_fired', cool),
      entry(40, 'rule_stopped', cool),
      entry(60, 'alert_raised', hot),
      entry(70, 'override', { type: 'manual_command', userId: 'u1', userName: 'Asha' }),
      entry(80, 'record', { userId: 'u1', userName: 'Asha' }),
    ],
    { from: 0, to: 100 },
  );

  it('are made of what begins, ends and happens', () => {
    expect(strips.map(({ kind, name }) => [kind, name])).toEqual([
      ['rule', 'Cool'],
      ['alert', 'Hot'],
      ['person', 'Asha'],
    ]);
    expect(strips[0]?.stretches.map(({ from, to }) => [from, to])).toEqual([
      [0, 40],
      [90, 100],
    ]);
    expect(strips[2]?.stretches).toHaveLength(1);
  });

  it('mark a start of a rule that was skipped, and still tell that it ran before', () => {
    const skipped = stripsOf([entry(20, 'start_skipped', cool), entry(40, 'rule_stopped', cool)], {
      from: 0,
      to: 100,
    });
    expect(skipped[0]?.stretches.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['mark', 20, 20],
      ['on', 0, 40],
    ]);
  });

  it('are in order, what did something first', () => {
    const strip = (id: string, ...kinds: ('on' | 'off' | 'mark')[]): Strip => ({
      kind: 'device',
      id,
      name: id,
      stretches: kinds.map((kind, n) => ({ from: n, to: n + 1, kind, text: kind })),
      known: { from: 0, to: 9 },
    });
    const strips = [
      strip('a', 'off'),
      strip('b', 'off', 'on'),
      strip('c'),
      strip('d', 'mark'),
      strip('e', 'on'),
    ];
    expect(busyFirst(strips).map(({ id }) => id)).toEqual(['b', 'd', 'e', 'a', 'c']);
  });

  it('are hit where they are, marks nearby', () => {
    const [rule, , person] = strips;
    if (!rule || !person) throw new Error('no strips');
    expect(stretchAt(rule, 39, 5)?.text).toBe('rule_stopped');
    expect(stretchAt(rule, 40, 5)).toBeUndefined();
    expect(stretchAt(person, 66, 5)?.text).toBe('override');
    expect(stretchAt(person, 64, 5)).toBeUndefined();
    expect(isKnown(rule, 100)).toBe(false);
  });
});

describe('the table for a spreadsheet', () => {
  it('has a line for each step and an empty cell for what was not measured', () => {
    const all = [
      { series: series(point(0, 20), point(1, 21.5)), name: 'Air, north' },
      { series: series(point(1, 60), point(2, 61)), name: 'Humidity' },
    ];
    const text = csvOf(
      all,
      { from: 0, to: 2 * MINUTE },
      { local: 'Time', utc: 'UTC' },
      (at) => `m${at / MINUTE}`,
    );
    expect(text).toBe(
      '\ufeffTime,UTC,"Air, north",Humidity\r\nm0,1970-01-01T00:00:00.000Z,20,\r\nm1,1970-01-01T00:01:00.000Z,21.5,60\r\n',
    );
  });
});

describe('the log of a day', () => {
  const log = (...ids: string[]) => ids.map((id) => ({ id })) as DayLog['items'];
  const before: DayLog = { items: log('c', 'b', 'a'), matching: 3, since: 0, to: DAY };

  it('is added to by what came since', () => {
    expect(grown(before, { items: log('e', 'd', 'c'), matching: 5 })).toEqual(log('e', 'd', 'c', 'b', 'a'));
    expect(grown(before, { items: log('c', 'b'), matching: 3 })).toEqual(before.items);
  });

  it('is read anew when more has changed, or more came than a page has', () => {
    expect(grown(before, { items: log('d', 'c', 'b'), matching: 5 })).toBeUndefined();
    expect(grown(before, { items: log('g', 'f', 'e'), matching: 7 })).toBeUndefined();
    expect(grown({ ...before, items: [] }, { items: [], matching: 0 })).toBeUndefined();
  });
});
