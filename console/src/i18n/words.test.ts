// Words that mean something else to a grower than what is meant: they stay out of the texts. docs/glossary.tsv has those that
// are wrong everywhere; here are those that are wrong in some texts and right in others.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { flatten, type Tree, texts } from './test-texts';

const languages = ['en', 'hi', 'mr'] as const;
type Language = (typeof languages)[number];

/** The glossary's rows, by the names of its columns. */
const [columns = [], ...rows] = readFileSync('../docs/glossary.tsv', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));
const cell = (row: string[], column: string) => row[columns.indexOf(column)] ?? '';
const forbidden = (row: string[], language: Language) =>
  cell(row, `not ${language}`)
    .split(';')
    .filter((word) => word !== '');

/**
 * Whether a text says a word: from where a word begins (`\\b` knows no Devanagari). In Hindi and Marathi what follows may be an
 * ending, unless the word is written with `$`; in English it stands whole.
 */
function says(text: string, word: string, language: Language): boolean {
  const whole = language === 'en' || word.endsWith('$');
  const sought = word.replace('$', '').normalize('NFC');
  const letter = '[\\p{L}\\p{M}\\p{N}]';
  return new RegExp(`(?<!${letter})${sought}${whole ? `(?!${letter})` : ''}`, 'iu').test(
    text.normalize('NFC'),
  );
}

describe('the glossary', () => {
  it('has the same columns in every row, and no term twice', () => {
    expect(columns).toEqual(['term', 'en', 'hi', 'mr', 'not en', 'not hi', 'not mr', 'note']);
    expect(rows.filter((row) => row.length !== columns.length)).toEqual([]);
    const terms = rows.map((row) => cell(row, 'term'));
    expect(terms.filter((term, at) => terms.indexOf(term) !== at)).toEqual([]);
  });

  it('finds a word that is not to be used, and nothing else', () => {
    expect(says('खेत में पानी', 'खेत', 'hi')).toBe(true);
    expect(says('ब्लॉक करें', 'लॉक', 'hi')).toBe(false);
    expect(says('2 मिली/से', 'मिली/से$', 'hi')).toBe(true);
    expect(says('2 मिली/सेकंड', 'मिली/से$', 'hi')).toBe(false);
    expect(says('मोजमापे', 'मोजमाप', 'mr')).toBe(true);
    expect(says('On by hand', 'by hand', 'en')).toBe(true);
    expect(says('by handle', 'by hand', 'en')).toBe(false);
  });

  it.each(languages)('keeps its own words out of what is not to be used in %s', (language) => {
    const words = rows.flatMap((row) => forbidden(row, language));
    const wrong = rows.filter((row) => words.some((word) => says(cell(row, language), word, language)));
    expect(wrong).toEqual([]);
  });

  it.each(languages)('is kept by every text in %s', (language) => {
    const found = rows.flatMap((row) =>
      forbidden(row, language).flatMap((word) =>
        flatten(texts[language])
          .filter(([, text]) => says(text, word, language))
          .map(([key, text]) => `${key}: “${text}”: not ${word}, say ${cell(row, language)}`),
      ),
    );
    expect(found).toEqual([]);
  });
});

/** A word that is right elsewhere, why it is not said here, and the keys in which it is wrong. */
type Banned = [word: string, why: string, where: RegExp];

const banned: Record<string, { texts: Tree; words: Banned[] }> = {
  hi: {
    texts: texts.hi,
    words: [
      [
        'चालू',
        'is "switched on": a raised alert is जारी',
        /^alerts\.(noneRaised|raised|state|hold|clear|repeats)|^tile\.activeAlarms/,
      ],
      ['बंद हो', 'is "be switched off": an alert that is over is ख़त्म', /^alerts\.(clear|state\.resolved)/],
      ['रुका', 'says that the device has stopped: a rule that waits is इंतज़ार में', /^rules\.effect/],
      ['किस्म', 'is the variety of a crop', /^tasks\./],
    ],
  },
  mr: {
    texts: texts.mr,
    words: [
      [
        'चालू',
        'is "switched on": a raised alert is जारी',
        /^alerts\.(noneRaised|raised|state|hold|clear|repeats)|^tile\.activeAlarms/,
      ],
      ['चालू', 'is "switched on": a rule at work काम करत आहे', /^rules\.(phase\.running|editor\.running)/],
      ['थांबले', 'says that the device has stopped: a rule that waits is प्रतीक्षेत', /^rules\.effect/],
      ['पुन्हा आपोआप', 'says nothing: पुन्हा ऑटोवर', /^domain\.action/],
      ['या उपकरण', 'उपकरण is a fan or pump, never a phone', /^(profile|header)\./],
    ],
  },
};

it.each(Object.keys(banned))('%s says no word that means something else', (language) => {
  const { texts: said, words } = banned[language] as (typeof banned)[string];
  const flat = flatten(said);
  const found = words.flatMap(([word, why, where]) =>
    flat
      .filter(([key, text]) => where.test(key) && text.includes(word))
      .map(([key, text]) => `${key}: “${text}”: ${word} ${why}`),
  );
  expect(found).toEqual([]);
  // A rule for a key that is gone would hold nothing.
  const idle = words.filter(([, , where]) => !flat.some(([key]) => where.test(key)));
  expect(idle).toEqual([]);
});
