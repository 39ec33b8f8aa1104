import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import { type Format, formatters } from '../../i18n/format';
import type { Language } from '../../i18n/languages';
import { texts } from '../../i18n/test-texts';
import { number } from './column';

async function said(language: Language, value: number): Promise<string | null> {
  const i18n = i18next.createInstance();
  await i18n.init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: texts[language] } },
  });
  const stock = number<number>(
    'inventory.stock',
    (record) => record,
    () => 'unitName.BAG',
  );
  return stock.text(value, { t: i18n.t, format: formatters(language) as unknown as Format });
}

describe('a number with its unit', () => {
  it.each([
    ['en', 1, '1 bag'],
    ['en', 2, '2 bags'],
    ['en', 0.5, '0.5 bags'],
    ['hi', 1, '1 बोरी'],
    ['mr', 1, '१ पोते'],
    ['mr', 2, '२ पोती'],
  ] as const)('is one or several in %s: %d', async (language, value, text) => {
    expect(await said(language, value)).toBe(text);
  });
});
