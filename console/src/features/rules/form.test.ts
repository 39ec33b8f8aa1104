import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/errors';
import {
  actionsOf,
  documentOf,
  durationFields,
  fieldsOf,
  newAction,
  newFields,
  numberIn,
  type RuleFields,
  secondsIn,
  stopLike,
  valueRange,
} from './form';
import { choiceOf, liesIn, ownChoice, scopeOf } from './places';
import { fieldOf, problemsOf, refusedProblems, stillRefused } from './problems';
import { doser, fan, houses, running, zoneValve } from './samples';

const devices = [fan, doser, zoneValve];
const farm = { devices, houses, farmId: 'f1' };

/** A form with nothing wrong, with changes. */
function filled(change: Partial<RuleFields> = {}): RuleFields {
  const fresh = newFields(houses);
  return {
    ...fresh,
    name: 'Cool',
    trigger: { ...fresh.trigger, value: '35' },
    actions: [{ ...newAction(), deviceId: 'fan-1', action: 'on' }],
    ...change,
  };
}
const trigger = (change: Partial<RuleFields['trigger']>) =>
  filled({ trigger: { ...filled().trigger, ...change } });
const action = (change: Partial<RuleFields['actions'][number]>) =>
  filled({ actions: [{ ...newAction(), deviceId: 'fan-1', action: 'on', ...change }] });

describe('a new rule', () => {
  it('starts with the defaults of the specification', () => {
    const fields = newFields(houses);
    expect(fields).toMatchObject({ mode: 'auto', priority: '5', place: 'polyhouse:p1', stops: false });
    expect([fields.trigger, fields.stop].map(({ duration }) => secondsIn(duration))).toEqual([300, 300]);
    expect(fields.actions.map(({ delay }) => secondsIn(delay))).toEqual([0]);
    expect(newFields([]).place).toBe('farm');
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
    const between = { operator: 'between', value: '20', valueMax: '25.5' } as const;
    expect(documentOf(trigger(between), false, farm).trigger).toMatchObject({ value: 20, value_max: 25.5 });
    expect(documentOf(trigger({ ...between, operator: 'gt' }), false, farm).trigger).not.toHaveProperty(
      'value_max',
    );
    const told = (change: Partial<RuleFields['actions'][number]>) =>
      documentOf(action(change), false, farm).actions?.[0]?.command;
    expect(told({ action: 'set_speed', value: '80' })).toEqual({ action: 'set_speed', value: 80 });
    expect(told({ action: 'off', value: '80' })).toEqual({ action: 'off' });
  });

  it('carries the stop condition and the places of its own', () => {
    const { stop } = filled();
    const document = documentOf(
      filled({ stops: true, stop: { ...stop, value: '30', place: 'zone:z1' } }),
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
  expect(documentOf(fieldsOf(running), running.deployed, farm)).toEqual(document);
});

describe('what can be seen without asking', () => {
  it.each<[string, RuleFields, string[]]>([
    ['nothing is wrong', filled(), []],
    ['no name', filled({ name: '  ' }), ['name required']],
    ['no priority', filled({ priority: '' }), ['priority required']],
    ['priority 0', filled({ priority: '0' }), ['priority out_of_range']],
    ['priority 11', filled({ priority: '11' }), ['priority out_of_range']],
    ['priority 10', filled({ priority: '10' }), []],
    ['priority 2.5', filled({ priority: '2.5' }), ['priority not_whole']],
    ['no value', trigger({ value: '' }), ['trigger.value required']],
    ['too cold', trigger({ value: '-10.1' }), ['trigger.value out_of_range']],
    ['as cold as can be', trigger({ value: '-10' }), []],
    ['as hot as can be', trigger({ value: '50' }), []],
    ['too hot', trigger({ value: '50.1' }), ['trigger.value out_of_range']],
    [
      'the range follows the sensor',
      trigger({ sensorType: 'ph', value: '14.1' }),
      ['trigger.value out_of_range'],
    ],
    ['light is counted in thousands', trigger({ sensorType: 'light_intensity', value: '100000' }), []],
    ['between one value', trigger({ operator: 'between' }), ['trigger.value_max required']],
    [
      'between, upside down',
      trigger({ operator: 'between', valueMax: '34.9' }),
      ['trigger.value_max below_value'],
    ],
    ['between equal ends', trigger({ operator: 'between', valueMax: '35' }), []],
    [
      'between, out of range',
      trigger({ operator: 'between', valueMax: '60' }),
      ['trigger.value_max out_of_range'],
    ],
    ['held for no time', trigger({ duration: durationFields(0) }), ['trigger.duration_sec too_small']],
    ['held for a second', trigger({ duration: durationFields(1) }), []],
    ['no duration', trigger({ duration: { minutes: '', seconds: ' ' } }), ['trigger.duration_sec required']],
    [
      'half a second',
      trigger({ duration: { minutes: '0', seconds: '1.5' } }),
      ['trigger.duration_sec not_whole'],
    ],
    ['no actions', filled({ actions: [] }), ['actions required']],
    ['no device', action({ deviceId: '', action: '' }), ['actions[0].device_id required']],
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
      action({ deviceId: 'doser', action: 'set_flow_rate', value: '0.4' }),
      ['actions[0].command.value out_of_range'],
    ],
    ['the least it can', action({ deviceId: 'doser', action: 'set_flow_rate', value: '0.5' }), []],
    [
      'a pulse of half seconds',
      action({ deviceId: 'doser', action: 'pulse', value: '2.5' }),
      ['actions[0].command.value not_whole'],
    ],
    [
      'a long pulse',
      action({ deviceId: 'doser', action: 'pulse', value: '61' }),
      ['actions[0].command.value out_of_range'],
    ],
    [
      'a delay of less than nothing',
      action({ delay: { minutes: '-1', seconds: '0' } }),
      ['actions[0].delay_sec too_small'],
    ],
    ['a stop condition without value', filled({ stops: true }), ['stop_condition.value required']],
  ])('%s', (_, fields, expected) => {
    expect(problemsOf(fields, devices).map(({ path, code }) => `${path} ${code}`)).toEqual(expected);
  });
});

describe('what the server refuses', () => {
  const error = new ApiError('refused', 422, 'no', 'invalid', [
    { path: 'trigger.value', code: 'out_of_range', message: '60 is outside -10 to 50 °C' },
    { path: 'scope.zoneId', code: 'unknown', message: 'there is no zone z9' },
    { path: 'actions[0].command', code: 'required', message: 'command is required' },
  ]);

  it('stands at the fields of the form, with their limits', () => {
    expect(refusedProblems(error, filled(), devices)).toEqual([
      { path: 'trigger.value', code: 'out_of_range', min: -10, max: 50, text: '60 is outside -10 to 50 °C' },
      { path: 'scope', code: 'unknown', text: 'there is no zone z9' },
      { path: 'actions[0].command.action', code: 'required', text: 'command is required' },
    ]);
    expect(refusedProblems(new Error('x'), filled(), devices)).toEqual([]);
    expect(['trigger.scope.polyhouseId', 'stop_condition.scope', 'name'].map(fieldOf)).toEqual([
      'trigger.scope',
      'stop_condition.scope',
      'name',
    ]);
  });

  it('holds until that field is changed', () => {
    const refused = documentOf(filled(), true, farm);
    const problems = refusedProblems(error, filled(), devices);
    const left = (fields: RuleFields) =>
      stillRefused(problems, refused, documentOf(fields, true, farm)).map(({ path }) => path);
    expect(left(filled({ name: 'Other' }))).toHaveLength(3);
    expect(left(trigger({ value: '36' }))).toEqual(['scope', 'actions[0].command.action']);
    const sensor = [{ path: 'trigger.sensor_type', code: 'no_sensor' }];
    expect(stillRefused(sensor, refused, documentOf(filled({ place: 'farm' }), true, farm))).toEqual([]);
  });
});

it('reads numbers and durations as they are typed', () => {
  expect([numberIn(''), numberIn(' '), numberIn('1.5')]).toEqual([Number.NaN, Number.NaN, 1.5]);
  expect(durationFields(90)).toEqual({ minutes: '1', seconds: '30' });
  expect(secondsIn({ minutes: '2', seconds: '' })).toBe(120);
  expect(secondsIn({ minutes: '', seconds: '90' })).toBe(90);
});

it('offers a stop condition the other way round', () => {
  expect(stopLike({ ...filled().trigger, operator: 'gte' }).operator).toBe('lt');
  expect(stopLike({ ...filled().trigger, operator: 'lt' }).operator).toBe('gt');
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

  it('lie in each other, also where a zone does not name its polyhouse', () => {
    expect(liesIn(zone, house, houses)).toBe(true);
    expect(liesIn(zone, { type: 'polyhouse', polyhouseId: 'p2' }, houses)).toBe(false);
    expect(liesIn(house, zone, houses)).toBe(false);
    expect(liesIn({ type: 'farm' }, house, houses)).toBe(false);
  });
});
