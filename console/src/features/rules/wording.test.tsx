import { act, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { changeLanguage } from '../../i18n/i18n';
import { useFieldName, useHazardText, useRuleProblemText } from './wording';

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
});
