// The place of a rule's condition, as its form chooses it.
import { samePlace } from '../../i18n/domain';
import { choiceOf, type PlaceChoice, type Scope } from '../../screen/condition/places';

/** The choice for a condition's own scope: none where it says what would hold anyway. */
export function ownChoice(scope: Scope | null | undefined, inherited: Scope): PlaceChoice {
  return !scope || samePlace(scope, inherited) ? '' : choiceOf(scope);
}
