// How the places of a farm lie in each other, as far as rules have to know it.
import { type PlaceNames, samePlace } from '../../i18n/domain';
import { choiceOf, houseOf, type PlaceChoice, type Scope } from '../../screen/condition/places';

/** The choice for a condition's own scope: none where it says what would hold anyway. */
export function ownChoice(scope: Scope | null | undefined, inherited: Scope): PlaceChoice {
  return !scope || samePlace(scope, inherited) ? '' : choiceOf(scope);
}

/** The polyhouse that a place lies in or is. */
function polyhouseOf(place: Scope, houses: PlaceNames): string | undefined {
  if (place.type === 'farm') return undefined;
  return place.polyhouseId ?? (place.zoneId ? houseOf(place.zoneId, houses)?.id : undefined);
}

/** Whether something at `inner` belongs to `outer`. */
export function liesIn(inner: Scope, outer: Scope, houses: PlaceNames): boolean {
  if (outer.type === 'farm') return true;
  if (outer.type === 'zone') return inner.type === 'zone' && inner.zoneId === outer.zoneId;
  return inner.type !== 'farm' && polyhouseOf(inner, houses) === outer.polyhouseId;
}
