import { describe, expect, it } from 'vitest';
import { sameMeaning } from './leaves';
import type { Rule } from './queries';
import { doser, draft, fan, houses, running, zoneValve } from './samples';
import { draftOf, fileName, fileOf, guess, inTurn, type RuleFile } from './transfer';
import { readRuleFile } from './transfer-read';

const devices = [fan, doser, zoneValve];
const waits: Rule = {
  ...draft,
  id: 'rule-3',
  name: 'After the cooling',
  scope: { type: 'zone', polyhouseId: 'p1', zoneId: 'z1' },
  trigger: {
    all: [
      { rule: 'rule-1', hold_sec: null },
      { not: { device: 'valve', is: 'on', hold_sec: null }, hold_sec: 60 },
      {
        sensor_type: 'humidity',
        operator: 'between',
        value: 40,
        value_max: 60,
        scope: { type: 'polyhouse', polyhouseId: 'p2' },
        hold_sec: null,
      },
    ],
    duration_sec: 5,
  },
};
const byClock: Rule = {
  ...draft,
  id: 'rule-4',
  trigger: {
    schedule: {
      at: ['06:00', { sun: 'sunset', offset_min: -20 }],
      days: ['mon'],
      dates: { from: '02-29', to: '06-15' },
      guard: { rule: 'rule-9', hold_sec: null },
      if_unknown: 'run',
      catch_up_sec: 600,
    },
  },
  run_sec: 600,
};
const follows: Rule = {
  ...draft,
  id: 'rule-5',
  name: 'Vent',
  trigger: { sensor_type: 'temperature', operator: 'gt', setpoint: 'day', offset: 2, duration_sec: 60 },
  actions: [
    {
      device_id: 'fan-1',
      command: { action: 'set_speed', value: 20 },
      curve: {
        sensor_type: 'temperature',
        setpoint: 'day',
        scope: { type: 'polyhouse', polyhouseId: 'p2' },
        points: [
          [0, 0],
          [8, 100],
        ],
        dead_band: 0.5,
        step: 5,
        least_sec: 60,
      },
      delay_sec: 0,
    },
  ],
};
const rules = [waits, running, byClock, follows];
const farm = {
  devices,
  houses,
  farmId: 'f1',
  rules: [...rules, { id: 'rule-9', name: 'Night' }].map(({ id, name }) => ({ id, name })),
  setpoints: [{ id: 'day', name: 'Day', sensor_type: 'temperature' as const }],
};
const written = (change: object = {}) => JSON.stringify({ ...fileOf(rules, farm), ...change });
const read = (text: string): RuleFile => {
  const result = readRuleFile(text);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.file;
};
const problems = (text: string) => {
  const result = readRuleFile(text);
  return 'problems' in result
    ? result.problems.map((problem) => ('path' in problem ? `${problem.code} ${problem.path}` : problem.code))
    : [];
};

describe('a file of rules', () => {
  it('has the documents without what belongs to one farm alone, and names beside ids', () => {
    const file = fileOf(rules, farm);
    expect(Object.keys(file.rules[0] ?? {}).sort()).toEqual([
      'actions',
      'description',
      'key',
      'mode',
      'name',
      'on_signal_lost',
      'priority',
      'scope',
      'trigger',
    ]);
    expect(file.devices).toEqual({
      valve: { name: 'Drip', type: 'valve' },
      'fan-1': { name: 'Fan 1', type: 'fan' },
    });
    expect(file.named).toEqual({ 'rule-1': 'Cool East', 'rule-9': 'Night' });
    expect(file.rules[0]?.scope).toMatchObject({ zoneId: 'z1', path: 'East / Roses' });
  });

  it('comes back as it was: the same documents, as drafts', () => {
    const file = read(written());
    const stands = guess(file, farm);
    const made = new Map(file.rules.map(({ key }) => [key, key]));
    for (const [nth, filed] of file.rules.entries()) {
      const rule = rules[nth];
      const document = draftOf(filed, stands, made, farm);
      expect(document.deployed).toBe(false);
      expect(document).not.toHaveProperty('key');
      for (const part of ['trigger', 'stop_condition', 'run_sec', 'scope', 'priority', 'name'] as const)
        expect(sameMeaning({ [part]: document[part] }, { [part]: rule?.[part] }), part).toBe(true);
      expect(
        document.actions?.map(({ device_id, command, curve }) => [
          device_id,
          command,
          curve?.points,
          curve?.setpoint,
        ]),
      ).toEqual(
        rule?.actions.map(({ device_id, command, curve }) => [
          device_id,
          command,
          curve?.points,
          curve?.setpoint,
        ]),
      );
    }
  });

  it('finds on another farm what is called the same, and leaves open what is not or might be two', () => {
    const other = {
      farmId: 'f2',
      devices: [
        { ...fan, id: 'x', name: 'fan 1' },
        { ...zoneValve, id: 'y' },
        { ...zoneValve, id: 'z' },
      ],
      houses: [{ id: 'h', name: 'East', zones: [{ id: 'k', name: 'Tulips' }] }],
      rules: [{ id: 'n', name: 'Night' }],
    };
    const file = read(written());
    const stands = guess(file, other);
    expect(stands).toEqual({
      devices: { valve: '', 'fan-1': 'x' },
      places: { 'zone:z1': '', 'polyhouse:p2': '', 'polyhouse:p1': 'polyhouse:h' },
      rules: { 'rule-9': 'n' },
      setpoints: { day: '' },
    });
    const [, cool] = file.rules;
    if (!cool) throw new Error('no rule');
    const document = draftOf(cool, stands, new Map(), other);
    expect(document.scope).toMatchObject({ type: 'polyhouse', farmId: 'f2', polyhouseId: 'h' });
    expect(document.actions?.map(({ device_id, device_name }) => [device_id, device_name])).toEqual([
      ['x', 'fan 1'],
      ['x', 'fan 1'],
    ]);
  });

  it('is made so that each rule comes after those that it names', () => {
    expect(inTurn(fileOf(rules, farm).rules).map(({ key }) => key)).toEqual([
      'rule-1',
      'rule-3',
      'rule-4',
      'rule-5',
    ]);
    const circle = fileOf(
      [
        { ...byClock, id: 'a', trigger: { rule: 'b', duration_sec: 1 } },
        { ...byClock, id: 'b', trigger: { rule: 'a', duration_sec: 1 } },
      ],
      farm,
    );
    expect(inTurn(circle.rules)).toHaveLength(2);
  });

  it('has a name that every file system takes', () => {
    expect([fileName('Cool: East / 32 °C'), fileName('रात'), fileName('..')]).toEqual([
      'cool-east-32-c.json',
      'रात.json',
      'rules.json',
    ]);
  });
});

describe('a file that is not right', () => {
  const broken = (change: (rule: Record<string, never>) => void) => {
    const file = JSON.parse(written());
    change(file.rules[0]);
    return problems(JSON.stringify(file));
  };
  it.each<[string, string, string[]]>([
    ['no JSON', '{"format": "harit-rules", ', ['not_json']],
    ['of something else', '{"format":"other"}', ['not_ours']],
    ['a list', '[]', ['not_ours']],
    ['of a newer version', written({ version: 2 }), ['newer']],
    ['without a version', written({ version: null }), ['wrong version']],
    ['without rules', written({ rules: null }), ['missing rules']],
    ['with no rule', written({ rules: [] }), ['empty']],
    ['of rules that are none', written({ rules: [1, null] }), ['wrong rules[0]', 'missing rules[1]']],
    ['that is too large', `"${'x'.repeat(1_000_001)}"`, ['too_big']],
  ])('%s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it('says what is wrong with a rule, and where', () => {
    const at = 'rules[0]';
    // biome-ignore lint/suspicious/noExplicitAny: what is broken has no type
    const wrong = (change: (rule: any) => void) => broken(change as never);
    expect(wrong((rule) => delete rule.name)).toEqual([`missing ${at}.name`]);
    expect(wrong((rule) => Object.assign(rule, { status: {} }))).toEqual([`unknown_field ${at}.status`]);
    expect(wrong((rule) => Object.assign(rule.scope, { type: 'site' }))).toEqual([`wrong ${at}.scope.type`]);
    expect(wrong((rule) => delete rule.trigger.all[2].value_max)).toEqual([
      `missing ${at}.trigger.all[2].value_max`,
    ]);
    expect(wrong((rule) => Object.assign(rule.trigger.all[0], { time: {} }))).toEqual([
      `wrong ${at}.trigger.all[0]`,
    ]);
    expect(wrong((rule) => Object.assign(rule.trigger.all[1].not, { is: 'maybe' }))).toEqual([
      `wrong ${at}.trigger.all[1].not.is`,
    ]);
    expect(wrong((rule) => Object.assign(rule, { actions: [] }))).toEqual([`missing ${at}.actions`]);
    expect(wrong((rule) => Object.assign(rule.actions[0].command, { action: 'explode' }))).toEqual([
      `wrong ${at}.actions[0].command.action`,
    ]);
    expect(wrong((rule) => Object.assign(rule, { trigger: { schedule: {} } }))).toEqual([
      `missing ${at}.trigger.schedule`,
    ]);
    const curve = { sensor_type: 'temperature', points: [[1, 2], [3]], color: 'red' };
    expect(wrong((rule) => Object.assign(rule.actions[0], { curve }))).toEqual([
      `unknown_field ${at}.actions[0].curve.color`,
      `wrong ${at}.actions[0].curve.points`,
    ]);
    const both = { sensor_type: 'temperature', operator: 'gt', value: 1, setpoint: 'day' };
    expect(wrong((rule) => Object.assign(rule.trigger, { all: [both, both] }))).toEqual([
      `wrong ${at}.trigger.all[0].value`,
      `wrong ${at}.trigger.all[1].value`,
    ]);
    expect(wrong((rule) => Object.assign(rule, { key: 'rule-1' }))).toEqual(['wrong rules[1].key']);
  });
});
