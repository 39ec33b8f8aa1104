// Starts i18next with the stored language and changes it. A locale's texts load only when the language is used.
import i18next from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import areas from './areas.json';
import { asLanguage, type Language } from './languages';

const STORED = 'language';

const loaders: Record<Language, () => Promise<{ default: object }>> = {
  en: () => import('./en'),
  hi: () => import('./hi'),
  mr: () => import('./mr'),
};

/** Texts that only the pages of one folder of features show: the files of each. */
export type Area = keyof typeof areas;

const areaLoaders = import.meta.glob<object>(
  './*/{alerts,controllers,crops,dashboard,day,deliveries,letter,logs,profile,records,rules,start,tasks,trade}.json',
  {
    import: 'default',
  },
);
/** What is shown, or is about to be. */
const shown = new Set<Area>();

/** What is loaded of a language. */
const loaded = new Map<string, Promise<void>>();

function once(name: string, language: Language, texts: () => Promise<object>): Promise<void> {
  const known = loaded.get(name);
  if (known) return known;
  const loading = texts().then((found) => {
    i18next.addResourceBundle(language, 'translation', found);
  });
  loaded.set(name, loading);
  // The next page asks again.
  loading.catch(() => loaded.delete(name));
  return loading;
}

async function load(language: Language): Promise<void> {
  const files = [...shown].flatMap((area) => areas[area]).map((file) => `./${language}/${file}.json`);
  await Promise.all([
    once(language, language, async () => (await loaders[language]()).default),
    ...files.map((file) =>
      once(file, language, () => areaLoaders[file]?.() ?? Promise.reject(new Error(file))),
    ),
  ]);
}

/** Loads the texts of pages before they show; a change of language loads them from now on. */
export async function loadArea(area: Area): Promise<void> {
  shown.add(area);
  await load(asLanguage(i18next.language) ?? 'en');
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
