// The places of a farm as a form's choices, and which sensors, devices and rules belong to one.
import type { components } from '../api/schema';
import type { Place, PlaceNames, SensorTypeName } from '../i18n/domain';
import { conditionOf } from './trigger';

export type Sensor = components['schemas']['Sensor'];
export type Rule = components['schemas']['Rule'];

/** The place of a choice in a form: its kind and its ids, as one text. */
export function placeKey(place: Place): string {
  if (place.type === 'zone') return `zone:${place.polyhouseId ?? ''}:${place.zoneId ?? ''}`;
  return place.type === 'polyhouse' ? `polyhouse:${place.polyhouseId ?? ''}` : 'farm';
}

/** The page with the chart of what is measured in a place; undefined is the farm. */
export function chartOf(type: string, place: Partial<Place> | null | undefined): string {
  const search = new URLSearchParams({ type });
  if (place?.zoneId) search.set('zone', place.zoneId);
  else if (place?.polyhouseId) search.set('polyhouse', place.polyhouseId);
  return `/history?${search}`;
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

/** The polyhouse that a place lies in; a zone may be known by its id alone. */
function houseOf(place: Place, polyhouses: PlaceNames): string | undefined {
  return place.polyhouseId ?? polyhouses.find(({ zones }) => zones.some(({ id }) => id === place.zoneId))?.id;
}

/** Whether one place is the other, or lies in it. */
export function isWithin(inner: Place, outer: Place, polyhouses: PlaceNames): boolean {
  if (outer.type === 'farm') return true;
  if (outer.type === 'zone') return inner.type === 'zone' && inner.zoneId === outer.zoneId;
  return inner.type !== 'farm' && houseOf(inner, polyhouses) === outer.polyhouseId;
}

/** The sensors of a place, those within it included. */
export function sensorsIn(sensors: readonly Sensor[], place: Place, polyhouses: PlaceNames): Sensor[] {
  return sensors.filter(({ scope }) => isWithin(scope, place, polyhouses));
}

/** A value that an active rule compares a quantity with. */
export interface RuleLimit {
  value: number;
  operator: components['schemas']['Operator'];
  /** Whether the rule starts there, or stops. */
  starts: boolean;
  rule: string;
}

/** Where a rule's conditions look, as the engine says it: their place, or the nearest around it that has a sensor. */
export interface RulePlaces {
  rule: string;
  trigger: { place: Place } | null;
  stop: { place: Place } | null;
}

/** The limits of the active rules that look at a quantity in a place or within it; within a tree no limit decides alone. */
export function limitsOf(
  rules: readonly Rule[],
  seen: readonly RulePlaces[],
  type: SensorTypeName,
  place: Place,
  polyhouses: PlaceNames,
): RuleLimit[] {
  const active = rules.filter(({ deployed, mode }) => deployed && mode === 'auto');
  return active.flatMap((rule) => {
    const sights = seen.find((each) => each.rule === rule.id);
    const parts = [
      { condition: conditionOf(rule.trigger), at: sights?.trigger?.place, starts: true },
      { condition: conditionOf(rule.stop_condition), at: sights?.stop?.place, starts: false },
    ];
    return parts.flatMap(({ condition, at, starts }) => {
      if (condition?.sensor_type !== type || !at || !isWithin(at, place, polyhouses)) return [];
      const { operator, value, value_max } = condition;
      const common = { starts, rule: rule.name };
      return operator === 'between'
        ? [
            { ...common, operator: 'gte' as const, value },
            { ...common, operator: 'lte' as const, value: value_max ?? value },
          ]
        : [{ ...common, operator, value }];
    });
  });
}

/** What happens at one value: where some rules start others may stop, and a farm's polyhouses often have the same limits. */
export interface LimitLine {
  value: number;
  meanings: { operator: RuleLimit['operator']; starts: boolean; rules: string[] }[];
}

/** The limits as they are drawn: a line each value, the highest first; what starts there before what stops. */
export function together(limits: readonly RuleLimit[]): LimitLine[] {
  const lines = new Map<number, LimitLine>();
  for (const { value, operator, starts, rule } of limits.toSorted((a, b) => b.value - a.value)) {
    const line = lines.get(value) ?? { value, meanings: [] };
    lines.set(value, line);
    const same = line.meanings.find((each) => each.operator === operator && each.starts === starts);
    if (same) same.rules.push(rule);
    else line.meanings.push({ operator, starts, rules: [rule] });
  }
  for (const { meanings } of lines.values()) meanings.sort((a, b) => Number(b.starts) - Number(a.starts));
  return [...lines.values()];
}
