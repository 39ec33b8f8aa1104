// Every text as the library that is written for this makes it, and what it makes of keys and values that nobody expects.
import i18next, { type TFunction } from 'i18next';
import { describe, expect, it } from 'vitest';
import { languages } from './languages';
import { flatten, texts } from './test-texts';
import { translator } from './translate';

type Plain = (key: string, values?: Record<string, unknown>) => string;
const plain = (t: TFunction) => t as unknown as Plain;

describe.each(languages)('%s', (language) => {
  const ours = plain(translator(language, texts[language]));

  it('says what i18next says', async () => {
    const library = i18next.createInstance();
    await library.init({
      lng: language,
      fallbackLng: false,
      interpolation: { escapeValue: false },
      returnNull: false,
      resources: { [language]: { translation: texts[language] } },
    });
    const theirs = plain(library.t as TFunction);
    const all = flatten(texts[language]);
    expect(all.length).toBeGreaterThan(1_000);
    for (const [key, text] of all) {
      const names = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
      const values = Object.fromEntries(names.map((name, nth) => [name, `${nth} $& <b> {{x}} ${name}`]));
      for (const given of [values, { ...values, [names[0] ?? 'none']: 7 }]) {
        expect(ours(key, given)).toBe(theirs(key, given));
      }
      const many = /^(.*)_(?:one|other)$/.exec(key)?.[1];
      for (const count of many === undefined ? [] : [0, 1, 1.5, 2, 5, 21, 1_000_000]) {
        expect(ours(many ?? '', { ...values, count })).toBe(theirs(many ?? '', { ...values, count }));
      }
    }
  });
});

it('answers with the key where there is no text, and leaves a placeholder without a value', () => {
  const t = plain(translator('en', { a: { b: '{{x}} of {{y}}' }, c: 'c' }));
  expect(t('a.b', { x: 0, y: undefined })).toBe('0 of {{y}}');
  expect(t('a')).toBe('a');
  expect(t('a.b.c')).toBe('a.b.c');
  expect(t('c.d')).toBe('c.d');
  expect(t('constructor')).toBe('constructor');
});
