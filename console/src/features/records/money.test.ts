import { expect, it } from 'vitest';
import { amount, decimal, paise, rupees, whole } from './money';

it('reads rupees as whole paise, in either digits', () => {
  for (const [typed, read] of [
    ['50', 5_000],
    ['50.5', 5_050],
    ['50.05', 5_005],
    ['1,23,456.78', 12_345_678],
    ['१२.५०', 1_250],
    ['0.29', 29],
  ] as const)
    expect(paise(typed)).toBe(read);
  for (const typed of ['', '-1', '1.234', 'x', '1.', '.5', '1e3']) expect(paise(typed)).toBeUndefined();
});

it('writes paise as one types them', () => {
  expect([5_000, 5_005, 5_050, 29, 0].map(rupees)).toEqual(['50', '50.05', '50.50', '0.29', '0']);
  expect(paise(rupees(12_345_678))).toBe(12_345_678);
});

it('reads numbers with up to three decimals', () => {
  expect([decimal('12.345'), decimal('०.५'), decimal('1.2345'), decimal('-1')]).toEqual([
    12.345,
    0.5,
    undefined,
    undefined,
  ]);
  expect([whole('980'), whole('9.8')]).toEqual([980, undefined]);
});

it('writes a loss as one', () => {
  expect([-5, -14_950, -200].map(rupees)).toEqual(['-0.05', '-149.50', '-2']);
});

it('multiplies exactly, and rounds halves up as the server does', () => {
  for (const [quantity, price, paise] of [
    [20.5, 5_555, 113_878],
    [0.001, 499, 0],
    [0.001, 500, 1],
    [1.005, 100, 101],
    [2.675, 100, 268],
    [9_999_999.999, 1_000_001, 10_000_009_999_000],
  ] as const)
    expect(amount(quantity, price)).toBe(paise);
});
