// In which order rules stand, and which of them are looked for.
import type { Rule, Sights } from './queries';

/** A rule as it is searched. */
export interface Told {
  rule: Rule;
  /** The name of its polyhouse, or of the whole farm. */
  place: string;
  /** What it does. */
  sentence: string;
}

export interface Filter {
  text: string;
  /** A name of a place; empty for all. */
  place: string;
}

export const everything: Filter = { text: '', place: '' };

/** Whether a rule that is at work cannot see what it acts by. */
export function isBlind(rule: Rule, seen: readonly Sights[]): boolean {
  if (!rule.deployed || rule.mode === 'disabled') return false;
  const sights = seen.find((each) => each.rule === rule.id);
  if (!sights) return false;
  const parts = sights.parts.map(({ sight }) => sight);
  return [sights.trigger, sights.stop, ...parts].some((sight) => sight?.value === null);
}

/** Those that cannot see first; then the strongest first, as devices see them. What starts or stops stays where it is. */
export function ordered(rules: readonly Rule[], seen: readonly Sights[]): Rule[] {
  const blind = new Set(rules.filter((rule) => isBlind(rule, seen)));
  return rules.toSorted(
    (a, b) =>
      Number(blind.has(b)) - Number(blind.has(a)) || b.priority - a.priority || a.name.localeCompare(b.name),
  );
}

/** Those at the place that have every word of the text in name, sentence or description. */
export function matching(told: readonly Told[], { text, place }: Filter): Told[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return told.filter((each) => {
    const all = [each.rule.name, each.sentence, each.rule.description].join(' ').toLocaleLowerCase();
    return (place === '' || each.place === place) && words.every((word) => all.includes(word));
  });
}

/** Those of each house together; a house with a rule that cannot see comes first, then houses by name, the whole farm last. */
export function grouped(
  told: readonly Told[],
  seen: readonly Sights[],
  compare: (a: string, b: string) => number,
): { place: string; told: Told[] }[] {
  const groups = [...new Set(told.map(({ place }) => place))].map((place) => {
    const of = told.filter((each) => each.place === place);
    return {
      place,
      told: of,
      blind: of.some(({ rule }) => isBlind(rule, seen)),
      farm: of.every(({ rule }) => rule.scope.type === 'farm'),
    };
  });
  return groups.sort(
    (a, b) =>
      Number(b.blind) - Number(a.blind) || Number(a.farm) - Number(b.farm) || compare(a.place, b.place),
  );
}
