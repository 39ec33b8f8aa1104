// All texts of every language, for the tests that hold them.
import type { Language } from './languages';

export type Tree = { [key: string]: string | Tree };

const files = import.meta.glob<Tree>('./*/*.json', { eager: true, import: 'default' });

function textsOf(language: Language): Tree {
  const own = Object.entries(files).filter(([path]) => path.startsWith(`./${language}/`));
  return Object.assign({}, ...own.map(([, texts]) => texts));
}

export const texts: Record<Language, Tree> = { en: textsOf('en'), hi: textsOf('hi'), mr: textsOf('mr') };

/** Each text by its key. */
export function flatten(tree: Tree, prefix = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[`${prefix}${key}`, value] as [string, string]]
      : flatten(value, `${prefix}${key}.`),
  );
}
