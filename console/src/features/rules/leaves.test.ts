import { describe, expect, it } from 'vitest';
import { type NodeWords, sensorTypes, weekdays } from '../../i18n/domain';
import { documentOf, fieldsOf, newFields, type RuleFields } from './form';
import { newLeaf, sameMeaning, withLeaves } from './leaves';
import { problemsOf } from './problems';
import type { Rule } from './queries';
import { fan, houses, running } from './samples';
import { formPath } from './slots';

const farm = { devices: [fan], houses, farmId: 'f1' };

/** Dice that fall the same way each time. */
function dice(seed: number) {
  let state = seed;
  const below = (n: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * n);
  };
  return {
    below,
    one: <T>(of: readonly T[]) => of[below(of.length)] as T,
    chance: (n: number) => below(n) === 0,
  };
}
type Dice = ReturnType<typeof dice>;

const two = (n: number) => String(n).padStart(2, '0');
const time = (d: Dice) => `${two(d.below(24))}:${two(d.below(60))}`;
const moment = (d: Dice) =>
  d.chance(2) ? time(d) : { sun: d.one(['sunrise', 'sunset'] as const), offset_min: d.below(1_441) - 720 };
const date = (d: Dice) => `${two(1 + d.below(12))}-${two(1 + d.below(28))}`;
const dates = (d: Dice) => ({ from: date(d), to: date(d) });
const days = (d: Dice) => weekdays.filter((_, at) => at === d.below(7) || d.chance(3));
const scope = (d: Dice) =>
  d.one([
    { type: 'farm', farmId: 'f1' },
    { type: 'polyhouse', polyhouseId: 'p2', name: 'West' },
    { type: 'zone', zoneId: 'z1', polyhouseId: 'p1', path: 'East / Roses' },
  ] as const);

function leaf(d: Dice): NodeWords {
  const some = days(d);
  switch (d.below(6)) {
    case 0:
      if (d.chance(2))
        return {
          sensor_type: d.one(sensorTypes),
          operator: d.one(['gt', 'gte', 'lt', 'lte'] as const),
          setpoint: `target-${d.below(3)}`,
          ...(d.chance(2) && { offset: d.below(81) / 4 - 10 }),
          ...(d.chance(2) && { scope: scope(d) }),
        };
      return {
        sensor_type: d.one(sensorTypes),
        ...(d.chance(4)
          ? { operator: 'between', value: d.below(40) / 2, value_max: 30 + d.below(10) }
          : { operator: d.one(['gt', 'gte', 'lt', 'lte', 'eq'] as const), value: d.below(400) / 10 }),
        ...(d.chance(2) && { scope: scope(d) }),
      };
    case 1:
      return {
        time: { from: moment(d), to: moment(d) },
        ...(d.chance(2) && some.length > 0 && { days: some }),
      };
    case 2:
      return { days: some.length > 0 ? some : ['sun'] };
    case 3:
      return { dates: dates(d) };
    case 4:
      return { rule: `rule-${d.below(3)}` };
    default:
      return { device: 'fan-1', is: d.one(['on', 'off'] as const) };
  }
}

/** An action whose value follows a signal. */
function following(d: Dice): Rule['actions'][number] {
  const count = 2 + d.below(15);
  const from = d.below(40) - 20;
  return {
    device_id: 'fan-1',
    device_name: 'Fan 1',
    command: { action: 'set_speed', value: d.below(101) },
    curve: {
      sensor_type: d.one(sensorTypes),
      ...(d.chance(2) && { scope: scope(d) }),
      ...(d.chance(2) && { setpoint: `target-${d.below(3)}` }),
      points: Array.from({ length: count }, (_, nth): [number, number] => [
        from + nth * 1.5,
        d.below(1_001) / 10,
      ]),
      dead_band: d.below(40) / 8,
      step: 1 + d.below(100),
      least_sec: d.below(3_601),
    },
    delay_sec: d.chance(2) ? 0 : d.below(600),
    ...(d.chance(2) && { for_sec: 1 + d.below(600) }),
  };
}

/** A tree, and whether the form has room for it: one level of leaves, each perhaps negated, then held. */
function node(d: Dice, depth: number): NodeWords {
  const hold = d.chance(3) ? { hold_sec: 1 + d.below(900) } : {};
  if (depth > 0 && d.chance(2)) {
    const count = 1 + d.below(4);
    const branches = Array.from({ length: count }, () => node(d, depth - 1));
    return { [d.one(['all', 'any'] as const)]: branches, ...hold };
  }
  if (d.chance(4)) return { not: node(d, depth - 1 < 0 ? 0 : depth - 1), ...hold };
  return { ...leaf(d), ...hold };
}

const hasRoom = ({ not, ...rest }: NodeWords): boolean =>
  not ? !not.all && !not.any && !not.not && !not.hold_sec : !rest.all && !rest.any;
function fits(root: NodeWords): boolean {
  const branches = root.all ?? root.any;
  return branches ? branches.length > 1 && branches.every(hasRoom) : hasRoom(root);
}

function rule(d: Dice): { rule: Rule; fits: boolean } {
  const made = start(d);
  return d.chance(3)
    ? { ...made, rule: { ...made.rule, actions: [...made.rule.actions, following(d)] } }
    : made;
}

function start(d: Dice): { rule: Rule; fits: boolean } {
  const root = node(d, 2);
  if (d.chance(3)) {
    const guarded = d.chance(2);
    const made = {
      ...running,
      stop_condition: null,
      run_sec: 1 + d.below(86_400),
      trigger: {
        schedule: {
          ...(d.chance(2)
            ? { at: Array.from({ length: 1 + d.below(4) }, () => moment(d)) }
            : { every: { minutes: 1 + d.below(720), from: '08:00', to: '17:30' } }),
          ...(d.chance(2) && { days: ['mon', 'thu'] }),
          ...(d.chance(2) && { dates: dates(d) }),
          ...(guarded && { guard: root, if_unknown: d.one(['run', 'skip']) }),
          catch_up_sec: d.chance(2) ? 0 : d.below(86_401),
        },
      },
    } as Rule;
    return { rule: made, fits: !guarded || fits(root) };
  }
  const { hold_sec: _, ...bare } = root;
  const tree = { ...bare, duration_sec: 1 + d.below(900) } as Rule['trigger'];
  const part = d.chance(2) ? { trigger: tree, stop_condition: null } : { stop_condition: tree };
  return { rule: { ...running, ...part } as Rule, fits: fits(bare) };
}

it('takes a rule apart without a loss, or says that it cannot', () => {
  let [taken, curves, setpoints] = [0, 0, 0];
  for (let seed = 1; seed <= 3_000; seed += 1) {
    const made = rule(dice(seed * 7_919));
    const fields = fieldsOf(made.rule);
    expect(fields !== undefined, JSON.stringify(made.rule.trigger)).toBe(made.fits);
    if (!fields) continue;
    taken += 1;
    const again = documentOf(fields, true, farm);
    for (const part of ['trigger', 'stop_condition', 'actions', 'run_sec'] as const)
      expect(sameMeaning(again[part] ?? null, made.rule[part] ?? null), JSON.stringify(made.rule)).toBe(true);
    // What the server took has no problem in the form.
    const wrong = problemsOf(fields, [fan]).filter(
      ({ code }) => !['out_of_range', 'unknown_word'].includes(code),
    );
    expect(wrong.filter(({ path }) => !path.includes('value'))).toEqual([]);
    curves += made.rule.actions.filter(({ curve }) => curve).length;
    setpoints += JSON.stringify([made.rule.trigger, made.rule.stop_condition]).includes('target-') ? 1 : 0;
  }
  expect(taken).toBeGreaterThan(1_000);
  expect(curves).toBeGreaterThan(300);
  expect(setpoints).toBeGreaterThan(50);
});

it('sees a difference in what it puts together', () => {
  expect(sameMeaning({ a: 1, hold_sec: 0, b: null }, { a: 1 })).toBe(true);
  expect(sameMeaning({ hold_sec: 1 }, {})).toBe(false);
  expect(sameMeaning({ scope: { type: 'farm', name: 'x' } }, { scope: { type: 'farm' } })).toBe(true);
  expect(sameMeaning({ all: [{ rule: 'a' }, { rule: 'b' }] }, { all: [{ rule: 'b' }, { rule: 'a' }] })).toBe(
    false,
  );
});

it('tells leaves apart, and holds at once what knows no signal', () => {
  const group = newFields(houses).trigger;
  const window = newLeaf({ kind: 'time' });
  const both = withLeaves(group, [...group.of, window], 300);
  expect(both.of.map(({ key }) => key)).toEqual([0, 1]);
  expect(both.duration_sec).toEqual({ amount: '5', unit: 'minutes' });
  const clock = withLeaves(both, [window], 300);
  expect(clock.duration_sec).toEqual({ amount: '1', unit: 'seconds' });
  expect(withLeaves(clock, [...clock.of, newLeaf()], 300).duration_sec).toEqual({
    amount: '5',
    unit: 'minutes',
  });
});

describe('what the server says of a document stands at its field', () => {
  const many = (kind: 'signal' | 'rule'): RuleFields => {
    const fresh = newFields(houses);
    const of = [newLeaf(), newLeaf({ key: 1, kind })];
    return { ...fresh, trigger: { ...fresh.trigger, of }, schedule: { ...fresh.schedule, guarded: true } };
  };
  it.each([
    ['trigger.value', 'trigger.of.0.value'],
    ['trigger.duration_sec', 'trigger.duration_sec'],
    ['trigger.setpoint', 'trigger.of.0.setpoint'],
    ['trigger.all[1].offset', 'trigger.of.1.offset'],
    ['actions[0].curve.points[1]', 'actions.0.curve.points.1'],
    ['trigger.all[1].value', 'trigger.of.1.value'],
    ['trigger.any[1].not.value', 'trigger.of.1.value'],
    ['trigger.any[0].hold_sec', 'trigger.of.0.hold_sec'],
    ['trigger.all[1].time.from', 'trigger.of.1.from'],
    ['trigger.time.to.offset_min', 'trigger.of.0.to.offset_min'],
    ['trigger.all[0].scope.zoneId', 'trigger.of.0.scope.zoneId'],
    ['trigger.all[0].dates.to', 'trigger.of.0.dates.to'],
    ['stop_condition.not.device', 'stop_condition.of.0.device'],
    ['trigger.schedule.at[2]', 'schedule.at.2'],
    ['trigger.schedule.every.to', 'schedule.every.to'],
    ['trigger.schedule.guard.hold_sec', 'schedule.guard.of.0.hold_sec'],
    ['trigger.schedule.guard.all[1].is', 'schedule.guard.of.1.is'],
    ['trigger.schedule.if_unknown', 'schedule.if_unknown'],
    ['actions[0].linger_sec', 'actions.0.linger_sec'],
    ['run_sec', 'run_sec'],
  ])('%s', (path, field) => {
    expect(formPath(path, many('signal'))).toBe(field);
  });
  it('of rules that would wait for each other at the word that names one', () => {
    expect(formPath('trigger', many('rule'))).toBe('trigger.of.1.rule');
  });
});
