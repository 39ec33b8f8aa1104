// The sentence of a farm that is well: what runs, in words.
import { describe, expect, it } from 'vitest';
import type { Format } from '../../i18n/format';
import { formatters } from '../../i18n/format';
import { texts } from '../../i18n/test-texts';
import { translator } from '../../i18n/translate';
import { consequences, type Group, runningText } from './today';

const t = translator('en', texts.en);
const format = formatters('en', 'Asia/Kolkata') as Format;
const fans: Group = { kind: 'fan', house: 'House 1', count: 2, isCooling: true };
const vent: Group = { kind: 'vent', house: 'House 2', count: 1, isCooling: false };
const pump: Group = { kind: 'pump', house: undefined, count: 1, isCooling: false };

describe('what runs', () => {
  it.each([
    [[], 'Everything is off.'],
    [[fans], '2 fans are cooling House 1.'],
    [[{ ...fans, count: 1 }], 'A fan is cooling House 1.'],
    [[{ ...fans, isCooling: false }], '2 fans are running in House 1.'],
    [[fans, vent], '2 fans are cooling House 1. A vent is open in House 2.'],
    [[pump], 'A pump is running.'],
    [[fans, vent, pump], '2 fans are cooling House 1. 2 more devices are running.'],
  ] as [Group[], string][])('%#', (groups, text) => {
    expect(runningText(t, format, groups)).toBe(text);
  });
});

it('nothing follows from what is not about readings', () => {
  expect(consequences([])).toEqual({ off: [], told: [] });
});
