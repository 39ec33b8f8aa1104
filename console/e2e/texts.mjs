// The console's texts, for tests that press a button in whatever language it is.
import { readdirSync, readFileSync } from 'node:fs';

export const LANGUAGES = ['en', 'hi', 'mr'];

const root = new URL('../src/i18n/', import.meta.url);

/** All texts of a language as one tree. */
export function texts(language) {
  const folder = new URL(`${language}/`, root);
  return Object.assign(
    {},
    ...readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))),
  );
}
