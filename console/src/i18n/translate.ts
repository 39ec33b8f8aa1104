// Finds texts by their keys, fills their placeholders and chooses their plurals. It is what the build takes for react-i18next
// (vite.config.ts): the console asks for nothing else of that library, which alone would be a twelfth of what a first value
// transfers (docs/decisions/0017). Types are the library's, and a test holds every text to what the library makes of it.
import type { TFunction } from 'i18next';
import { useSyncExternalStore } from 'react';
import type { Language } from './languages';

/** Texts by parts of their keys. */
export interface Texts {
  [part: string]: string | Texts;
}

type Values = Record<string, unknown>;

/** The text at a key; none where there is none, or more than one. */
function textAt(texts: Texts, key: string): string | undefined {
  let at: string | Texts | undefined = texts;
  for (const part of key.split('.')) at = typeof at === 'object' ? at[part] : undefined;
  return typeof at === 'string' ? at : undefined;
}

/**
 * Makes the function that answers with the text of a key: of its plural for `count`, with each `{{name}}` replaced by that value.
 * A key without a text is answered with itself, a placeholder without a value stays.
 */
export function translator(language: Language, texts: Texts): TFunction {
  const plurals = new Intl.PluralRules(language);
  const translate = (key: string, values: Values = {}): string => {
    const { count } = values;
    const plural = typeof count === 'number' ? textAt(texts, `${key}_${plurals.select(count)}`) : undefined;
    const text = plural ?? textAt(texts, key);
    return text?.replace(/\{\{(\w+)\}\}/g, (hole, name: string) => String(values[name] ?? hole)) ?? key;
  };
  return translate as TFunction;
}

const loaded: Record<Language, Texts> = { en: {}, hi: {}, mr: {} };
/** What components are given: the library's shape. */
interface Shown {
  t: TFunction;
  i18n: { language: Language };
}
const inLanguage = (language: Language): Shown => ({
  t: translator(language, loaded[language]),
  i18n: { language },
});
let shown = inLanguage('en');
const followers = new Set<() => void>();

/** Adds texts of a language, by their first parts; they are answered with from then on. */
export function addTexts(language: Language, texts: Texts): void {
  Object.assign(loaded[language], texts);
}

/** Shows a language: everything that shows a text is drawn again. */
export function show(language: Language): void {
  shown = inLanguage(language);
  for (const follower of followers) follower();
}

/** The language that is shown. */
export const shownLanguage = (): Language => shown.i18n.language;

function follow(follower: () => void): () => void {
  followers.add(follower);
  return () => followers.delete(follower);
}

/** The texts of the language that is shown; a component that asks is drawn again when that changes. */
export function useTranslation(): Shown {
  return useSyncExternalStore(follow, () => shown);
}
