import { describe, expect, it } from 'vitest';
import { choiceOf, scopeOf } from '../../screen/condition/places';
import { numberIn, secondsIn, spanOf } from '../../screen/condition/span';
import {
  actionsOf,
  documentOf,
  fieldsOf,
  groupOf,
  newAction,
  newFields,
  type RuleFields,
  stopBehind,
  stopLike,
  valueRange,
  withSensor,
} from './form';
import { type GroupFields, type LeafFields, newLeaf } from './leaves';
import { ownChoice } from './places';
import { problemsOf } from './problems';
import { doser, fan, houses, running, zoneValve } from './samples';

const devices = [fan, doser, zoneValve];
const farm = { devices, houses, farmId: 'f1' };

/** A form with nothing wrong, with changes. */
function filled(change: Partial<RuleFields> = {}): RuleFields {
  const fresh = newFields(houses);
  return {
    ...fresh,
    name: 'Cool',
    named: true,
    trigger: groupOf({ value: '35' }),
    actions: [{ ...newAction([]), device_id: 'fan-1', command: { action: 'on', value: '' } }],
    ...change,
  };
}
const leaf = ({ of }: GroupFields) => of[0] ?? newLeaf();
const trigger = ({
  duration_sec = spanOf(300),
  ...change
}: Partial<LeafFields & Pick<GroupFields, 'duration_sec'>>) =>
  filled({ trigger: { ...groupOf({ value: '35', ...change }), duration_sec } });
type Action = RuleFields['actions'][number];
const action = ({
  device_id = 'fan-1',
  delay_sec = spanOf(0),
  ...command
}: Partial<Action & Action['command']>) =>
  filled({
    actions: [{ ...newAction([]), device_id, delay_sec, command: { action: 'on', value: '', ...command } }],
  });

describe('a new rule', () => {
  it('starts with the defaults of the specification', () => {
    const fields = newFields(houses);
    expect(fields).toMatchObject({ mode: 'auto', priority: '5', scope: 'polyhouse:p1', stops: false });
    expect(
      [fields.trigger, fields.stop_condition].map(({ duration_sec }) => secondsIn(duration_sec)),
    ).toEqual([300, 300]);
    expect(fields.actions.map(({ delay_sec }) => secondsIn(delay_sec))).toEqual([0]);
    expect(newFields([]).scope).toBe('farm');
  });

  it('becomes the document that the server takes', () => {
    expect(documentOf(filled({ description: ' hot ' }), true, farm)).toEqual({
      name: 'Cool',
      description: 'hot',
      mode: 'auto',
      priority: 5,
      scope: { type: 'polyhouse', farmId: 'f1', polyhouseId: 'p1', name: 'East', path: 'East' },
      trigger: { sensor_type: 'temperature', operator: 'gt', value: 35, duration_sec: 300 },
      actions: [{ device_id: 'fan-1', device_name: 'Fan 1', command: { action: 'on' }, delay_sec: 0 }],
      on_signal_lost: 'stop',
      deployed: true,
    });
  });

  it('says the upper end only for between, and a value only where the action has one', () => {
    const between = { operator: 'between', value: '20', value_max: '25.5' } as const;
    expect(documentOf(trigger(between), false, farm).trigger).toMatchObject({ value: 20, value_max: 25.5 });
    expect(documentOf(trigger({ ...between, operator: 'gt' }), false, farm).trigger).not.toHaveProperty(
      'value_max',
    );
    const told = (change: Partial<Action['command']>) =>
      documentOf(action(change), false, farm).actions?.[0]?.command;
    expect(told({ action: 'set_speed', value: '80' })).toEqual({ action: 'set_speed', value: 80 });
    expect(told({ action: 'off', value: '80' })).toEqual({ action: 'off' });
  });

  it('carries the stop condition and the places of its own', () => {
    const document = documentOf(
      filled({ stops: true, stop_condition: groupOf({ operator: 'lt', value: '30', scope: 'zone:z1' }) }),
      false,
      farm,
    );
    expect(document.stop_condition).toEqual({
      sensor_type: 'temperature',
      operator: 'lt',
      value: 30,
      duration_sec: 300,
      scope: {
        type: 'zone',
        farmId: 'f1',
        polyhouseId: 'p1',
        zoneId: 'z1',
        name: 'Roses',
        path: 'East / Roses',
      },
    });
  });
});

it('gives back a stored rule as it was', () => {
  const { id: _id, status: _status, etag: _etag, created_at: _at, created_by: _by, ...document } = running;
  const fields = fieldsOf(running);
  expect(fields && documentOf(fields, running.deployed, farm)).toEqual(document);
});

describe('a rule that is a program', () => {
  const [first] = running.actions;
  const lasting = {
    ...running,
    run_sec: 600,
    actions: first ? [{ ...first, for_sec: 300, linger_sec: 5 }] : [],
  };

  it('keeps how long it and its actions last', () => {
    const fields = fieldsOf(lasting);
    const document = fields && documentOf(fields, true, farm);
    expect(document?.run_sec).toBe(600);
    expect(document?.actions).toEqual(lasting.actions);
  });
});

describe('what can be seen without asking', () => {
  it.each<[string, RuleFields, string[]]>([
    ['nothing is wrong', filled(), []],
    ['no name', filled({ name: '  ' }), ['name required']],
    ['not named yet', filled({ name: '', named: false }), []],
    ['no priority', filled({ priority: '' }), ['priority required']],
    ['priority 0', filled({ priority: '0' }), ['priority out_of_range']],
    ['priority 11', filled({ priority: '11' }), ['priority out_of_range']],
    ['priority 10', filled({ priority: '10' }), []],
    ['priority 2.5', filled({ priority: '2.5' }), ['priority not_whole']],
    ['no value', trigger({ value: '' }), ['trigger.of[0].value required']],
    ['too cold', trigger({ value: '-10.1' }), ['trigger.of[0].value out_of_range']],
    ['as cold as can be', trigger({ value: '-10' }), []],
    ['as hot as can be', trigger({ value: '50' }), []],
    ['too hot', trigger({ value: '50.1' }), ['trigger.of[0].value out_of_range']],
    [
      'the range follows the sensor',
      trigger({ sensor_type: 'ph', value: '14.1' }),
      ['trigger.of[0].value out_of_range'],
    ],
    ['light is counted in thousands', trigger({ sensor_type: 'light_intensity', value: '100000' }), []],
    ['between one value', trigger({ operator: 'between' }), ['trigger.of[0].value_max required']],
    [
      'between, upside down',
      trigger({ operator: 'between', value_max: '34.9' }),
      ['trigger.of[0].value_max below_value'],
    ],
    ['between equal ends', trigger({ operator: 'between', value_max: '35' }), []],
    [
      'between, out of range',
      trigger({ operator: 'between', value_max: '60' }),
      ['trigger.of[0].value_max out_of_range'],
    ],
    ['held for no time', trigger({ duration_sec: spanOf(0) }), ['trigger.duration_sec too_small']],
    ['held for a second', trigger({ duration_sec: spanOf(1) }), []],
    [
      'no duration',
      trigger({ duration_sec: { amount: ' ', unit: 'minutes' } }),
      ['trigger.duration_sec required'],
    ],
    [
      'half a second',
      trigger({ duration_sec: { amount: '1.5', unit: 'seconds' } }),
      ['trigger.duration_sec not_whole'],
    ],
    ['no actions', filled({ actions: [] }), ['actions required']],
    ['no device', action({ device_id: '', action: '' }), ['actions[0].device_id required']],
    ['no action', action({ action: '' }), ['actions[0].command.action required']],
    [
      'what the device cannot do',
      action({ action: 'pulse', value: '5' }),
      ['actions[0].command.action not_supported'],
    ],
    ['no speed', action({ action: 'set_speed' }), ['actions[0].command.value required']],
    ['too fast', action({ action: 'set_speed', value: '101' }), ['actions[0].command.value out_of_range']],
    ['standing still', action({ action: 'set_speed', value: '0' }), []],
    [
      'less than the device can',
      action({ device_id: 'doser', action: 'set_flow_rate', value: '0.4' }),
      ['actions[0].command.value out_of_range'],
    ],
    ['the least it can', action({ device_id: 'doser', action: 'set_flow_rate', value: '0.5' }), []],
    [
      'a pulse of half seconds',
      action({ device_id: 'doser', action: 'pulse', value: '2.5' }),
      ['actions[0].command.value not_whole'],
    ],
    [
      'a long pulse',
      action({ device_id: 'doser', action: 'pulse', value: '61' }),
      ['actions[0].command.value out_of_range'],
    ],
    [
      'a delay of less than nothing',
      action({ delay_sec: { amount: '-1', unit: 'minutes' } }),
      ['actions[0].delay_sec too_small'],
    ],
    ['a stop condition without value', filled({ stops: true }), ['stop_condition.of[0].value required']],
  ])('%s', (_, fields, expected) => {
    expect(problemsOf(fields, devices).map(({ path, code }) => `${path} ${code}`)).toEqual(expected);
  });
});

it('reads numbers and durations as they are typed', () => {
  expect([numberIn(''), numberIn(' '), numberIn('1.5')]).toEqual([Number.NaN, Number.NaN, 1.5]);
  expect(spanOf(300)).toEqual({ amount: '5', unit: 'minutes' });
  expect(secondsIn({ amount: '2', unit: 'minutes' })).toBe(120);
  expect(secondsIn({ amount: '', unit: 'minutes' })).toBe(Number.NaN);
});

it('offers a stop condition the other way round', () => {
  const other = (change: Partial<LeafFields>) => leaf(stopLike(groupOf(change)));
  expect(other({ operator: 'gte' }).operator).toBe('lt');
  expect(other({ operator: 'lt' }).operator).toBe('gt');
  // The usual distance from where it starts, within what the sensor measures.
  expect(other({ value: '35' }).value).toBe('32');
  expect(other({ operator: 'lt', value: '49' }).value).toBe('50');
  expect(other({ operator: 'between', value: '20' }).value).toBe('');
  expect(other({ value: '' }).value).toBe('');
});

it('takes the stop condition along when the trigger would not start beyond it any more', () => {
  const of = (operator: LeafFields['operator'], stop: LeafFields['operator'], value: string) => ({
    ...newFields([]),
    stops: true,
    trigger: groupOf({ operator, value: '35' }),
    stop_condition: groupOf({ operator: stop, value }),
  });
  expect(stopBehind(of('gt', 'lt', '32'), '32')).toBe('29');
  expect(stopBehind(of('gt', 'lt', '32'), '30')).toBe('27');
  expect(stopBehind(of('lt', 'gt', '38'), '40')).toBe('43');
  // It is on its other side still, or meant to be elsewhere.
  expect(stopBehind(of('gt', 'lt', '32'), '33')).toBeUndefined();
  expect(stopBehind(of('gt', 'gt', '40'), '32')).toBeUndefined();
  expect(stopBehind({ ...of('gt', 'lt', '32'), stops: false }, '32')).toBeUndefined();
});

it('forgets a value once another quantity is measured, for the stop condition that follows it too', () => {
  const fields = filled();
  const at = 'trigger.of.0';
  expect(withSensor(fields, at, 'temperature', 'temperature')).toEqual([]);
  expect(
    withSensor(fields, at, 'temperature', 'humidity').map(([path, value]) => `${path} ${value}`),
  ).toEqual([
    'trigger.of.0.sensor_type humidity',
    'trigger.of.0.value ',
    'trigger.of.0.value_max ',
    'trigger.of.0.setpoint ',
    'trigger.of.0.offset 0',
    'stop_condition.of.0.sensor_type humidity',
    'stop_condition.of.0.value ',
    'stop_condition.of.0.value_max ',
    'stop_condition.of.0.setpoint ',
    'stop_condition.of.0.offset 0',
  ]);
  const own = { ...fields, stop_condition: groupOf({ sensor_type: 'ph' }) };
  const paths = (stops: boolean, of: string, type: 'temperature' | 'ph') =>
    withSensor({ ...own, stops }, of, type, 'ec').map(([path]) => path);
  expect(paths(false, at, 'temperature')).not.toContain('stop_condition.of.0.value');
  expect(paths(true, 'stop_condition.of.0', 'ph')).not.toContain('trigger.of.0.value');
});

it('offers what a device announced, within the limits of the action', () => {
  expect(actionsOf(fan)).toEqual(['on', 'off', 'set_speed']);
  expect(actionsOf({ ...fan, supportedActions: [] })).toEqual(['on', 'off']);
  expect(valueRange('set_speed', fan)).toEqual({ min: 0, max: 100 });
  expect(valueRange('set_flow_rate', doser)).toEqual({ min: 0.5, max: 10 });
  expect(valueRange('pulse', undefined)).toEqual({ min: 1, max: 60 });
});

describe('places', () => {
  const zone = { type: 'zone', zoneId: 'z1' } as const;
  const house = { type: 'polyhouse', polyhouseId: 'p1' } as const;

  it('are chosen by one text', () => {
    expect([{ type: 'farm' } as const, house, zone].map(choiceOf)).toEqual([
      'farm',
      'polyhouse:p1',
      'zone:z1',
    ]);
    expect([
      ownChoice(null, house),
      ownChoice({ ...house, name: 'East' }, house),
      ownChoice(zone, house),
    ]).toEqual(['', '', 'zone:z1']);
    expect(scopeOf('', houses, 'f1')).toBeUndefined();
    expect(scopeOf('farm', houses, 'f1')).toEqual({ type: 'farm', farmId: 'f1' });
    expect(scopeOf('zone:gone', houses, 'f1')).toEqual({ type: 'zone', farmId: 'f1', zoneId: 'gone' });
  });
});
