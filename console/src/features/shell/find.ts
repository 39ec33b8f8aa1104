// What is meant by what was typed: all of its words, in any order, in the name, what stands below it or the address.
import type { Icon } from '@tabler/icons-react';

/** Something that can be found. */
export interface Thing {
  path: string;
  name: string;
  about?: string;
  icon: Icon;
}

export interface Group {
  label: string;
  things: readonly Thing[];
}

/** What is shown of a group: who looks for the rest types more. */
const MOST = 8;

/** Without case and without the marks of Latin letters; the vowel signs of Devanagari are letters and stay. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}

/** The groups in which something is meant; what begins with the first word stands first. */
export function found(typed: string, groups: readonly Group[]): Group[] {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  return groups.flatMap(({ label, things }) => {
    const meant = things.filter(({ name, about = '', path }) => {
      const text = plain(`${name} ${about} ${path}`);
      return words.every((word) => text.includes(word));
    });
    const begins = ({ name }: Thing) => plain(name).startsWith(words[0] ?? '');
    const sorted = [...meant.filter(begins), ...meant.filter((thing) => !begins(thing))];
    return sorted.length > 0 ? [{ label, things: sorted.slice(0, MOST) }] : [];
  });
}
