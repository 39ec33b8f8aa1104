// Sentences in pieces: plain words, and those that may be chosen.
import type { Phrase, Slot } from './domain';

/** Stands around the name of a hole while a pattern is laid out: no text has it. */
const MARK = '\u{E000}';

export const textOf = (phrase: Phrase) =>
  phrase.map((part) => (typeof part === 'string' ? part : part.text)).join('');

/** A pattern with words in its holes. */
export function woven<Hole extends string>(
  pattern: (holes: Record<Hole, string>) => string,
  parts: Record<Hole, Phrase>,
): Phrase {
  const holes = Object.fromEntries(Object.keys(parts).map((name) => [name, `${MARK}${name}${MARK}`]));
  // Every other piece is the name of a hole.
  return pattern(holes as Record<Hole, string>)
    .split(MARK)
    .flatMap((piece, at) => (at % 2 === 1 ? (parts[piece as Hole] ?? []) : piece === '' ? [] : [piece]));
}

/** Phrases in a row, as a language lists them. */
export function listed(list: (items: readonly string[]) => string, phrases: readonly Phrase[]): Phrase {
  const parts = Object.fromEntries(phrases.map((phrase, at) => [String(at), phrase]));
  return woven((holes) => list(phrases.map((_, at) => holes[String(at)] ?? '')), parts);
}

/** A sentence begins with a capital where the script has them. */
export function capital(phrase: Phrase): Phrase {
  const [first, ...rest] = phrase;
  if (first === undefined) return phrase;
  const raised = (text: string) => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  return [
    typeof first === 'string' ? raised(first) : ({ ...first, text: raised(first.text) } satisfies Slot),
    ...rest,
  ];
}
