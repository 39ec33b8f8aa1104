import { act, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { changeLanguage } from '../../i18n/i18n';
import { useFieldName, useHazardText, useRuleProblemText, useSuggestedName } from './wording';

/** Every code that the engine and the server have for something wrong in a document. */
const codes = [
  ['name', 'required'],
  ['actions', 'required'],
  ['actions.0.command.value', 'required'],
  ['trigger.value', 'out_of_range'],
  ['trigger.duration_sec', 'not_whole'],
  ['actions', 'too_many'],
  ['trigger.sensor_type', 'no_sensor'],
  ['scope.zoneId', 'unknown'],
  ['actions.0.command.action', 'unknown_word'],
  ['trigger.operator', 'unknown_word'],
  ['actions.0.command.value', 'no_value'],
  ['id', 'duplicate'],
  ['id', 'reserved'],
  ['id', 'id_differs'],
  ['priority', 'wrong_type'],
  ['', 'not_an_object'],
  ['actions.0.device_id', 'invalid_id'],
  ['created_at', 'invalid_time'],
  ['type', 'type_changed'],
  ['rest', 'must_be_off'],
  ['trigger', 'circular'],
  ['run_sec', 'too_long'],
  ['trigger.of.1.hold_sec', 'too_long'],
  ['trigger.of.0.dates.to', 'no_such_date'],
  ['schedule.at.1.time', 'required'],
  ['schedule.every.to', 'not_later'],
  ['schedule.if_unknown', 'required'],
  ['schedule.guard.of.2.rule', 'required'],
  ['schedule.guard', 'too_deep'],
  ['actions.0.linger_sec', 'out_of_range'],
  ['devices.pump', 'runs_too_long'],
] as const;

afterEach(() => act(() => changeLanguage('en')));

describe.each(['hi', 'mr'] as const)('in %s', (language) => {
  it.each(codes)('a problem at %j of the code %s is said without a word of English', async (path, code) => {
    await act(() => changeLanguage(language));
    const { result } = renderHook(() => ({ problem: useRuleProblemText(), field: useFieldName() }));
    const said = result.current.problem({ path, code, min: 1, max: 10, message: 'in English' });
    expect(said).not.toMatch(/[A-Za-z]/);
    expect(result.current.field(path)).not.toMatch(/[A-Za-z]/);
  });
});

it('looks nowhere else where the whole farm has no sensor', () => {
  const { result } = renderHook(() => useHazardText({ houses: [] }));
  const hazard = { kind: 'no_sensor', sensor_type: 'ph', place: { type: 'farm', farmId: 'f1' } } as const;
  expect(result.current(hazard)).toBe('No sensor on the farm measures the pH: this rule cannot be saved.');
  const chatter = {
    kind: 'chatter',
    sensor_type: 'temperature',
    low: 29.8,
    high: 30.2,
    starts_per_hour: 51,
  } as const;
  expect(result.current(chatter)).toBe(
    'If the reading wavers between 29.8 °C and 30.2 °C, the rule starts 51 times an hour. Leave a wider gap, or let both hold for longer.',
  );
});

it('calls a rule that nobody named by when it starts, and by nothing while that is not said', () => {
  const { result } = renderHook(() => useSuggestedName());
  const name = (trigger: Parameters<typeof result.current>[0]['trigger']) =>
    result.current({ trigger, actions: [{ device: 'Fan 1', action: 'on', delay_sec: 0 }] });
  const place = { type: 'farm' } as const;
  const hot = { sensor_type: 'temperature', operator: 'gt', value: 32 } as const;
  const tree = (of: object) => ({ tree: of, duration_sec: 1, place });
  expect(name(tree({ all: [{ days: ['sun'] }, hot] }))).toBe('Temperature above 32 °C: Fan 1');
  expect(name(tree({ any: [{ days: ['sun'] }, { device: 'd1', is: 'off' }] }))).toBe(
    'It is Sunday or d1 is off: Fan 1',
  );
  expect(name(tree({ days: [] }))).toBe('');
  const at = (moments: string[]) => ({ schedule: { at: moments, catch_up_sec: 0 }, place });
  expect(name(at(['06:00', '18:30']))).toBe('Every day at 6:00 am and at 6:30 pm: Fan 1');
  expect(name(at(['']))).toBe('');
});
