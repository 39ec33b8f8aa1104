// The languages of the console, in the order in which the switcher goes through them.

export const languages = ['en', 'hi', 'mr'] as const;
export type Language = (typeof languages)[number];

/** The locale of numbers and dates in each language. */
export const locales: Record<Language, string> = { en: 'en-IN', hi: 'hi-IN', mr: 'mr-IN' };

/** What the button that leads to a language is called: in that language, for those who cannot read the present one. */
export const ownNames: Record<Language, string> = { en: 'English', hi: 'हिन्दी', mr: 'मराठी' };

/** The language as stored or asked for, if it is one of ours. */
export function asLanguage(value: string | null | undefined): Language | undefined {
  return languages.find((language) => language === value);
}

/** en -> hi -> mr -> en. */
export function nextLanguage(language: Language): Language {
  return languages[(languages.indexOf(language) + 1) % languages.length] ?? 'en';
}
