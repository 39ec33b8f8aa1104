import { expect, it } from 'vitest';
import { nearest, numberTyped, stepped } from './wheel';

const heat = { min: -10, max: 50, step: 0.5 };

it('reads what is typed in the digits of each language', () => {
  expect(['35', ' 35.5 ', '३५.५', '1,00,000', '-4'].map(numberTyped)).toEqual([35, 35.5, 35.5, 100_000, -4]);
  expect(['', ' ', '-', 'x'].map(numberTyped)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
});

it('turns by steps, on from a value that is on none, and stays between the limits', () => {
  expect([stepped(35, 1, heat), stepped(35, -2, heat), stepped(35, 0, heat)]).toEqual([35.5, 34, 35]);
  expect([stepped(35.3, 1, heat), stepped(35.3, -1, heat)]).toEqual([35.5, 35]);
  expect([stepped(49.5, 4, heat), stepped(-10, -1, heat)]).toEqual([50, -10]);
  // No dust of binary fractions.
  expect(stepped(6.6, 1, { min: 0, max: 14, step: 0.1 })).toBe(6.7);
  expect([nearest(34.3, heat), nearest(60, heat)]).toEqual([34.5, 50]);
});
