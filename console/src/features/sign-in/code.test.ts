import { describe, expect, it } from 'vitest';
import { emptyCode, typeInto, wholeCode } from './code';

describe('typeInto', () => {
  it('puts one digit in and moves on', () => {
    expect(typeInto(emptyCode, 0, '7')).toEqual({ code: ['7', '', '', '', '', ''], next: 1 });
  });

  it('stays in the last box', () => {
    expect(typeInto(emptyCode, 5, '7')).toEqual({ code: ['', '', '', '', '', '7'], next: 5 });
  });

  it('ignores what is not a digit', () => {
    expect(typeInto(['1', '', '', '', '', ''], 0, 'x')).toEqual({ code: ['1', '', '', '', '', ''], next: 0 });
  });

  it('spreads a paste from the current box on', () => {
    expect(typeInto(['9', '9', '', '', '', ''], 2, '12 34').code).toEqual(['9', '9', '1', '2', '3', '4']);
  });

  it('drops what does not fit', () => {
    expect(typeInto(emptyCode, 4, '123456').code).toEqual(['', '', '', '', '1', '2']);
  });

  it('reads Devanagari digits', () => {
    expect(wholeCode(typeInto(emptyCode, 0, '१२३४५६').code)).toBe('123456');
  });

  it('empties a box', () => {
    expect(typeInto(['1', '2', '', '', '', ''], 1, '').code).toEqual(['1', '', '', '', '', '']);
  });
});

it('is whole only with all six digits', () => {
  expect(wholeCode(['1', '2', '3', '4', '5', ''])).toBeUndefined();
  expect(wholeCode(['1', '2', '3', '4', '5', '6'])).toBe('123456');
});
