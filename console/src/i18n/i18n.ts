// Starts i18next with the stored language and changes it. A locale's texts load only when the language is used.
import i18next from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import { asLanguage, type Language } from './languages';

const STORED = 'language';

const loaders: Record<Language, () => Promise<{ default: object }>> = {
  en: () => import('./en'),
  hi: () => import('./hi'),
  mr: () => import('./mr'),
};

async function load(language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, 'translation')) return;
  const texts = await loaders[language]();
  i18next.addResourceBundle(language, 'translation', texts.default);
}

function announce(language: Language): void {
  document.documentElement.lang = language;
}

/** Loads the language of the link that was followed, else the stored one, else English. Await it before the first render. */
export async function startI18n(): Promise<void> {
  const linked = asLanguage(new URLSearchParams(window.location.search).get('lang'));
  const language = linked ?? storedLanguage() ?? 'en';
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: {},
    // The three locales have the same keys (a test holds them to it): nothing to fall back to.
    fallbackLng: false,
    interpolation: { escapeValue: false },
    returnNull: false,
    react: { useSuspense: false },
  });
  await load(language);
  await i18next.changeLanguage(language);
  announce(language);
}

/** The language that the person chose on this device, if they did. */
export function storedLanguage(): Language | undefined {
  return asLanguage(localStorage.getItem(STORED));
}

/** Switches and remembers. */
export async function changeLanguage(language: Language): Promise<void> {
  await load(language);
  localStorage.setItem(STORED, language);
  await i18next.changeLanguage(language);
  announce(language);
}

/** The language being shown. */
export function useLanguage(): Language {
  const { i18n } = useTranslation();
  return asLanguage(i18n.language) ?? 'en';
}
