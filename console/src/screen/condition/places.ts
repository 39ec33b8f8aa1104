// Places as a form chooses them: one text for "the farm", "this polyhouse", "this zone", or nothing where that may be left open.
import type { components } from '../../api/schema';
import type { PlaceNames } from '../../i18n/domain';

export type Scope = components['schemas']['Scope'];
export type PlaceChoice = '' | 'farm' | `polyhouse:${string}` | `zone:${string}`;

export function choiceOf(scope: Scope): PlaceChoice {
  if (scope.type === 'farm') return 'farm';
  return scope.type === 'zone' ? `zone:${scope.zoneId ?? ''}` : `polyhouse:${scope.polyhouseId ?? ''}`;
}

/** The polyhouse of a zone. */
export function houseOf(zoneId: string, houses: PlaceNames) {
  return houses.find(({ zones }) => zones.some(({ id }) => id === zoneId));
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
  const house = houseOf(id, houses);
  const zone = house?.zones.find((candidate) => candidate.id === id);
  return {
    type: 'zone',
    farmId,
    ...(house && { polyhouseId: house.id }),
    zoneId: id,
    ...(house && zone && { name: zone.name, path: `${house.name} / ${zone.name}` }),
  };
}
