import { expect, it } from 'vitest';
import { ago } from './ago';

it.each([
  [-90_000, 'now', 0],
  [59_999, 'now', 0],
  [60_000, 'minutes', 1],
  [3_599_999, 'minutes', 59],
  [3_600_000, 'hours', 1],
  [86_399_999, 'hours', 23],
  [86_400_000, 'days', 1],
  [40 * 86_400_000, 'days', 40],
])('%i ms', (passed, unit, count) => {
  expect(ago(1_000_000_000, 1_000_000_000 + passed)).toEqual({ unit, count });
});
