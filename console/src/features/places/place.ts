// Where things are: the choices of a form, and what stands in one place.
import type { Place, PlaceNames } from '../../i18n/domain';

/** The place of a choice in a form: its kind and its ids, as one text. */
export function placeKey(place: Place): string {
  if (place.type === 'zone') return `zone:${place.polyhouseId ?? ''}:${place.zoneId ?? ''}`;
  return place.type === 'polyhouse' ? `polyhouse:${place.polyhouseId ?? ''}` : 'farm';
}

/** All places of the farm, from the whole to its zones. */
export function allPlaces(polyhouses: PlaceNames): Place[] {
  return [
    { type: 'farm' },
    ...polyhouses.flatMap(({ id, zones }): Place[] => [
      { type: 'polyhouse', polyhouseId: id },
      ...zones.map((zone): Place => ({ type: 'zone', polyhouseId: id, zoneId: zone.id })),
    ]),
  ];
}

/** What stands in exactly this place, not in a part of it. */
export function inPlace<T extends { scope: Place }>(things: readonly T[], place: Place): T[] {
  const key = placeKey(place);
  return things.filter(({ scope }) => placeKey(scope) === key);
}
