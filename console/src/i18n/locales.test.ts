import { describe, expect, it } from 'vitest';
import en from './en.json';
import hi from './hi.json';
import { asLanguage, languages, nextLanguage } from './languages';
import mr from './mr.json';

type Tree = { [key: string]: string | Tree };

function flatten(tree: Tree, prefix = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[`${prefix}${key}`, value] as [string, string]]
      : flatten(value, `${prefix}${key}.`),
  );
}

const holes = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();
const english = flatten(en);

describe.each([
  ['hi', hi],
  ['mr', mr],
] as const)('%s', (_, texts) => {
  const flat = new Map(flatten(texts));

  it('has the keys of English, in its order', () => {
    expect([...flat.keys()]).toEqual(english.map(([key]) => key));
  });

  it('fills in the same values', () => {
    const different = english.filter(
      ([key, text]) => String(holes(text)) !== String(holes(flat.get(key) ?? '')),
    );
    expect(different).toEqual([]);
  });

  it('is not English', () => {
    // What may be the same in all languages: names of quantities and patterns without words.
    const same = english.filter(
      ([key, text]) => flat.get(key) === text && /[a-z]{3}/i.test(text.replaceAll(/\{\{\w+\}\}/g, '')),
    );
    expect(same.map(([key]) => key)).toEqual(['unit.hectopascal']);
  });
});

it('has no empty text', () => {
  for (const texts of [en, hi, mr])
    expect(flatten(texts).filter(([, text]) => text.trim() === '')).toEqual([]);
});

it('has the texts of the specification in English', () => {
  expect(en.error).toEqual({
    network: 'Network error. Please try again.',
    login: 'Login failed',
    sendOtp: 'Failed to send OTP',
    resendOtp: 'Failed to resend OTP',
    verifyOtp: 'Failed to verify OTP',
    invalidOtp: 'Invalid OTP',
    contactRequired: 'Email or mobile number is required',
    passwordRequired: 'Password is required',
    otpIncomplete: 'Please enter the complete 6-digit OTP',
  });
});

it('goes through the languages in a circle', () => {
  expect(languages.map(nextLanguage)).toEqual(['hi', 'mr', 'en']);
  expect(asLanguage('mr')).toBe('mr');
  expect(asLanguage('de')).toBeUndefined();
});
