// Starts with the stored language and changes it. A locale's texts load only when the language is used.
import areas from './areas.json';
import { asLanguage, type Language } from './languages';
import { addTexts, show, shownLanguage, type Texts, useTranslation } from './translate';

const STORED = 'language';

const loaders: Record<Language, () => Promise<{ default: Texts }>> = {
  en: () => import('./en'),
  hi: () => import('./hi'),
  mr: () => import('./mr'),
};

/** Texts that only the pages of one folder of features show: the files of each. */
export type Area = keyof typeof areas;

const areaLoaders = import.meta.glob<Texts>(
  './*/{alerts,condition,controllers,crops,dashboard,day,deliveries,derived,effects,exceptions,explained,holders,invitations,ledger,letter,limits,logs,manual,outages,places,profile,records,rules,start,tasks,tokens,trade,users,work}.json',
  {
    import: 'default',
  },
);
/** What is shown, or is about to be. */
const shown = new Set<Area>();

/** What is loaded of a language. */
const loaded = new Map<string, Promise<void>>();

function once(name: string, language: Language, texts: () => Promise<Texts>): Promise<void> {
  const known = loaded.get(name);
  if (known) return known;
  const loading = texts().then((found) => {
    addTexts(language, found);
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
  await load(shownLanguage());
}

function announce(language: Language): void {
  show(language);
  document.documentElement.lang = language;
}

/** Loads the language of the link that was followed, else the stored one, else English. Await it before the first render. */
export async function startI18n(): Promise<void> {
  const linked = asLanguage(new URLSearchParams(window.location.search).get('lang'));
  const language = linked ?? storedLanguage() ?? 'en';
  announce(language);
  await load(language);
}

/** The language that the person chose on this device, if they did. */
export function storedLanguage(): Language | undefined {
  return asLanguage(localStorage.getItem(STORED));
}

/** Switches and remembers. */
export async function changeLanguage(language: Language): Promise<void> {
  await load(language);
  localStorage.setItem(STORED, language);
  announce(language);
}

/** The language being shown. */
export function useLanguage(): Language {
  return useTranslation().i18n.language;
}
