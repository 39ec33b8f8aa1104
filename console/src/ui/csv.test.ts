import { expect, it } from 'vitest';
import { csvOf } from './csv';

const cell = (value: string | number | null) => csvOf([[value]]).slice(1, -2);

it('quotes what it must, and runs nothing', () => {
  expect(cell('=1+1')).toBe("'=1+1");
  expect(cell('@x')).toBe("'@x");
  expect(cell('say "so"')).toBe('"say ""so"""');
  expect(cell('a, b')).toBe('"a, b"');
  expect(cell('a\nb')).toBe('"a\nb"');
  expect([cell(-5), cell('-5'), cell(null), cell(0)]).toEqual(['-5', '-5', '', '0']);
});
