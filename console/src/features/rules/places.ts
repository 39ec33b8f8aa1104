// Places as a form chooses them: one text for "the farm", "this polyhouse", "this zone", or nothing for "where the rule is".

import type { components } from '../../api/schema';
import { type PlaceNames, samePlace } from '../../i18n/domain';

export type Scope = components['schemas']['Scope'];
export type PlaceChoice = '' | 'farm' | `polyhouse:${string}` | `zone:${string}`;

export function choiceOf(scope: Scope): PlaceChoice {
  if (scope.type === 'farm') return 'farm';
  return scope.type === 'zone' ? `zone:${scope.zoneId ?? ''}` : `polyhouse:${scope.polyhouseId ?? ''}`;
}

/** The choice for a condition's own scope: none where it says what would hold anyway. */
export function ownChoice(scope: Scope | null | undefined, inherited: Scope): PlaceChoice {
  return !scope || samePlace(scope, inherited) ? '' : choiceOf(scope);
}

/** The polyhouse of a zone. */
function houseOf(zoneId: string, houses: PlaceNames): string | undefined {
  return houses.find(({ zones }) => zones.some(({ id }) => id === zoneId))?.id;
}

/** The place as documents say it, with the labels of now. */
export function scopeOf(choice: PlaceChoice, houses: PlaceNames, farmId: string): Scope | undefined {
  if (choice === '') return undefined;
  if (choice === 'farm') return { type: 'farm', farmId };
  const id = choice.slice(choice.indexOf(':') + 1);
  if (choice.startsWith('polyhouse:')) {
    const name = houses.find((house) => house.id === id)?.name;
    return { type: 'polyhouse', farmId, polyhouseId: id, ...(name && { name, path: name }) };
  }
  const house = houses.find((candidate) => candidate.id === houseOf(id, houses));
  const zone = house?.zones.find((candidate) => candidate.id === id);
  return {
    type: 'zone',
    farmId,
    ...(house && { polyhouseId: house.id }),
    zoneId: id,
    ...(house && zone && { name: zone.name, path: `${house.name} / ${zone.name}` }),
  };
}

/** The polyhouse that a place lies in or is. */
function polyhouseOf(place: Scope, houses: PlaceNames): string | undefined {
  if (place.type === 'farm') return undefined;
  return place.polyhouseId ?? (place.zoneId ? houseOf(place.zoneId, houses) : undefined);
}

/** Whether something at `inner` belongs to `outer`. */
export function liesIn(inner: Scope, outer: Scope, houses: PlaceNames): boolean {
  if (outer.type === 'farm') return true;
  if (outer.type === 'zone') return inner.type === 'zone' && inner.zoneId === outer.zoneId;
  return inner.type !== 'farm' && polyhouseOf(inner, houses) === outer.polyhouseId;
}
