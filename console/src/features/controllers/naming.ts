// Names for what a controller has, so that nobody has to type one: the kind, the next free number, and where it hangs.
import type { TFunction } from 'i18next';

const SPOTS = ['north', 'middle', 'south'] as const;

/** Names to choose from. `what` is its kind in words; `taken` are the names in use on the farm. */
export function suggestedNames(
  t: TFunction,
  count: (number: number) => string,
  what: string,
  taken: readonly string[],
): string[] {
  const used = (name: string) => taken.some((other) => other === name || other.startsWith(`${name},`));
  let number = 1;
  while (used(t('controllers.name.plain', { what, number: count(number) }))) number += 1;
  const name = t('controllers.name.plain', { what, number: count(number) });
  return [name, ...SPOTS.map((spot) => t(`controllers.name.${spot}`, { name }))];
}
