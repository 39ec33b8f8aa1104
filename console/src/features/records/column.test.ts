import { describe, expect, it } from 'vitest';
import { type Format, formatters } from '../../i18n/format';
import type { Language } from '../../i18n/languages';
import { texts } from '../../i18n/test-texts';
import { translator } from '../../i18n/translate';
import { number } from './column';

function said(language: Language, value: number): string | null {
  const stock = number<number>(
    'inventory.stock',
    (record) => record,
    () => 'unitName.BAG',
  );
  return stock.text(value, {
    t: translator(language, texts[language]),
    format: formatters(language) as unknown as Format,
  });
}

describe('a number with its unit', () => {
  it.each([
    ['en', 1, '1 bag'],
    ['en', 2, '2 bags'],
    ['en', 0.5, '0.5 bags'],
    ['hi', 1, '1 बोरी'],
    ['mr', 1, '१ पोते'],
    ['mr', 2, '२ पोती'],
  ] as const)('is one or several in %s: %d', (language, value, text) => {
    expect(said(language, value)).toBe(text);
  });
});
