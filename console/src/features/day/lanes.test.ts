import { describe, expect, it } from 'vitest';
import { houseLanes, isIdle, isPlain } from './house-lanes';
import {
  grouped,
  isDown,
  isKnown,
  knownTimes,
  type Lane,
  type LaneSpan,
  type Lanes,
  laneAt,
  spanFor,
  subjectOf,
} from './lanes';
import { levelOf, looks } from './paint-lanes';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const window = { from: 0, to: DAY };

function lane(kind: Lane['kind'], spans: [number, number, Lane['spans'][number]['state']][], of = 'x'): Lane {
  return {
    key: `${kind} ${of}`,
    kind,
    of,
    name: `the ${kind}`,
    part: null,
    cut: null,
    spans: spans.map(([from, to, state]) => ({
      from,
      to,
      state,
      text: null,
      length_ms: null,
      value: null,
      effect: null,
    })),
  };
}

function day(lanes: Lane[], exact = 0): Lanes {
  return { from: 0, to: DAY, exact_from: exact, lanes, left_out: 0, incomplete: false };
}

describe('what a lane says at an instant', () => {
  const phase = lane('phase', [
    [0, 10, 'idle'],
    [10, 20, 'pending'],
    [30, DAY, 'running'],
  ]);
  const lanes = day([phase]);

  it('is the span that covers it: its beginning is of it, and its end of the next', () => {
    const state = (at: number) => {
      const found = laneAt(phase, lanes, at, { from: 0, to: 100 });
      return typeof found === 'string' ? found : found.state;
    };
    expect([0, 9, 10, 19].map(state)).toEqual(['idle', 'idle', 'pending', 'pending']);
    // A gap stays a gap.
    expect([20, 29].map(state)).toEqual(['unknown', 'unknown']);
    expect([30, DAY - 1, DAY].map(state)).toEqual(['running', 'running', 'running']);
  });

  it('is nothing where a lane tells only of what is the matter, and not known before the journal and while the server was down', () => {
    const locks = lane('locks', [[50, 60, 'lock']]);
    const server = lane('server', [[70, 80, 'down']], '');
    const all = day([locks, server], 20);
    expect(laneAt(locks, all, 40, window)).toBe('nothing');
    expect(laneAt(locks, all, 10, window)).toBe('unknown');
    expect(laneAt(locks, all, 75, window)).toBe('unknown');
    expect([69, 70, 79, 80].map((at) => isDown(all, at))).toEqual([false, true, true, false]);
    expect(knownTimes(locks, all)).toEqual([
      { from: 20, to: 70 },
      { from: 80, to: DAY },
    ]);
    expect(knownTimes(lane('reported', []), all)).toEqual([]);
  });

  it('is not known from where it was cut', () => {
    const cut = { ...lane('hold', []), cut: 100 };
    const all = day([cut]);
    expect([99, 100].map((at) => isKnown(cut, all, at))).toEqual([true, false]);
  });

  it('is what a person did near it', () => {
    const people = lane('people', [[HOUR, HOUR, 'mark']]);
    const all = day([people]);
    const near = laneAt(people, all, HOUR + DAY / 100, window);
    expect(typeof near === 'string' ? near : near.state).toBe('mark');
    expect(laneAt(people, all, HOUR + DAY / 50, window)).toBe('nothing');
  });
});

describe('what is asked for', () => {
  const today = { from: 0, to: DAY };
  it('is the day, as long as it covers what is shown; then what is shown, and at most a day', () => {
    expect(spanFor({ from: HOUR, to: 2 * HOUR }, today, undefined)).toEqual(today);
    expect(spanFor({ from: HOUR, to: 2 * HOUR }, { from: DAY, to: 2 * DAY }, today)).toEqual(today);
    const across = { from: DAY - HOUR + 7, to: DAY + HOUR };
    expect(spanFor(across, today, today)).toEqual({ from: DAY - HOUR, to: DAY + HOUR });
    // A day of 25 hours is more than may be asked for at once.
    const long = { from: 0, to: 25 * HOUR };
    expect(spanFor({ from: HOUR, to: 2 * HOUR }, long, undefined)).toEqual({ from: HOUR, to: 2 * HOUR });
    expect(spanFor({ from: 0, to: 3 * DAY }, today, undefined)).toBeUndefined();
  });
});

describe('the lanes in groups', () => {
  it('keep those of each rule of a device together, and are one group of a rule', () => {
    const lanes = day([
      lane('decides', []),
      lane('phase', [], 'r1'),
      lane('truth', [], 'r1'),
      lane('phase', [], 'r2'),
      lane('alert', [], 'a'),
    ]);
    const shape = (subject: { device: string } | { rule: string }) =>
      grouped(lanes, subject).map(({ rule, lanes: own }) => [rule?.id, own.length]);
    expect(shape({ device: 'fan' })).toEqual([
      [undefined, 1],
      ['r1', 2],
      ['r2', 1],
      [undefined, 1],
    ]);
    expect(shape({ rule: 'r1' })).toEqual([[undefined, 5]]);
  });

  it('are of whom the address names', () => {
    expect(subjectOf(new URLSearchParams('device=fan&at=1'))).toEqual({ device: 'fan' });
    expect(subjectOf(new URLSearchParams('rule=r'))).toEqual({ rule: 'r' });
    expect(subjectOf(new URLSearchParams('house=h&at=1'))).toEqual({ house: 'h' });
    expect(subjectOf(new URLSearchParams('polyhouse=p'))).toBeUndefined();
  });
});

describe('the lanes of a house', () => {
  const all = day([
    lane(
      'reported',
      [
        [0, 50, 'off'],
        [50, DAY, 'on'],
      ],
      'fan',
    ),
    lane(
      'decides',
      [
        [0, 50, 'rest'],
        [50, DAY, 'claim'],
      ],
      'fan',
    ),
    lane('reported', [[0, DAY, 'off']], 'pump'),
    lane('decides', [[0, DAY, 'rest']], 'pump'),
    lane('effect', [[60, 70, 'worked']], 'pump'),
    lane('decides', [[0, DAY, 'lock']], 'valve'),
    lane(
      'phase',
      [
        [0, 50, 'idle'],
        [50, DAY, 'running'],
      ],
      'r1',
    ),
    lane('phase', [[0, DAY, 'idle']], 'r2'),
    lane(
      'online',
      [
        [0, 20, 'offline'],
        [20, DAY, 'online'],
      ],
      'mac',
    ),
  ]);

  it('are together by device, then the rules and the rest', () => {
    const { devices, rules, others } = houseLanes(all);
    expect(devices.map(({ id, ...own }) => [id, Object.keys(own).length - 1])).toEqual([
      ['fan', 2],
      ['pump', 3],
      ['valve', 1],
    ]);
    expect(rules.map(({ of }) => of)).toEqual(['r1', 'r2']);
    expect(others.map(({ kind }) => kind)).toEqual(['online']);
  });

  it('are folded where nothing happened in the time that is shown, and only there', () => {
    const { devices, rules, others } = houseLanes(all);
    const idle = (window: { from: number; to: number }) =>
      devices.filter((device) => isIdle(device, window)).map(({ id }) => id);
    expect(idle({ from: 0, to: 40 })).toEqual(['fan', 'pump']);
    expect(idle({ from: 0, to: 55 })).toEqual(['pump']);
    // A run was looked at; a lock is something also where nothing moves.
    expect(idle({ from: 0, to: DAY })).toEqual([]);
    const plain = (window: { from: number; to: number }) =>
      [...rules, ...others].filter((each) => isPlain(each, window)).map(({ of }) => of);
    expect(plain({ from: 0, to: DAY })).toEqual(['r2']);
    expect(plain({ from: 30, to: 40 })).toEqual(['r1', 'r2', 'mac']);
  });
});

describe('the drawing', () => {
  it('is as high as the value of the most, never so low that it cannot be seen, and whole without one', () => {
    const at = (value: number | null) =>
      ({ ...lane('reported', [[0, 1, 'on']]).spans[0], value }) as LaneSpan;
    expect([40, 100, 250, 1].map((value) => levelOf(at(value), 100))).toEqual([0.4, 1, 1, 0.15]);
    expect([levelOf(at(null), 100), levelOf(at(40), undefined), levelOf(at(0), 100)]).toEqual([1, 1, 1]);
  });

  it('tells states of one lane apart without colours', () => {
    const of = {
      phase: ['inactive', 'idle', 'pending', 'running'],
      truth: ['true', 'false', 'unknown'],
      reported: ['on', 'off'],
      decides: ['claim', 'rest', 'manual', 'limit', 'lock'],
      command: ['queued', 'sent', 'acked', 'confirmed', 'failed'],
      online: ['online', 'offline'],
      outcome: ['free', 'outranked', 'manual', 'lock'],
      effect: ['worked', 'no_effect', 'cannot_tell'],
    } as const;
    for (const states of Object.values(of)) {
      const patterns = states.map((state) => looks[state].pattern);
      expect(new Set(patterns).size, states.join()).toBe(states.length);
    }
  });
});
