// The devices of a farm by house and by the lane of precedence in which they are held.
import type { components } from '../../api/schema';

export type HeldDevice = components['schemas']['HeldDevice'];
export type Lane = HeldDevice['lane'];

/** In order of precedence. */
export const lanes: readonly Lane[] = ['lock', 'safety', 'manual', 'limit', 'claim', 'rest'];

/** Lanes that are shown only while something is in them: most farms never see them. */
const RARE: ReadonlySet<Lane> = new Set(['safety', 'limit']);

export interface House {
  /** None of what lies in no polyhouse. */
  id: string | null;
  name: string;
  byLane: ReadonlyMap<Lane, readonly HeldDevice[]>;
}

/** The houses that have devices, by name, with what lies in none last. */
export function housesOf(
  devices: readonly HeldDevice[],
  names: readonly { id: string; name: string }[],
  outside: string,
  compare: (a: string, b: string) => number,
): House[] {
  const byHouse = new Map<string | null, HeldDevice[]>();
  for (const device of devices) {
    const id = device.scope.polyhouseId ?? null;
    byHouse.set(id, [...(byHouse.get(id) ?? []), device]);
  }
  return [...byHouse]
    .map(([id, own]) => ({
      id,
      name: id === null ? outside : (names.find((house) => house.id === id)?.name ?? id),
      byLane: byLane(own, compare),
    }))
    .sort((a, b) => Number(a.id === null) - Number(b.id === null) || compare(a.name, b.name));
}

/** What is in each lane, by name; lanes without anything are not in it. */
export function byLane(
  devices: readonly HeldDevice[],
  compare: (a: string, b: string) => number,
): Map<Lane, HeldDevice[]> {
  const found = new Map<Lane, HeldDevice[]>();
  for (const lane of lanes) {
    const own = devices.filter((device) => device.lane === lane);
    if (own.length > 0)
      found.set(
        lane,
        own.toSorted((a, b) => compare(a.name, b.name)),
      );
  }
  return found;
}

/** The lanes that are drawn. */
export const shownLanes = (devices: readonly HeldDevice[]): Lane[] =>
  lanes.filter((lane) => !RARE.has(lane) || devices.some((device) => device.lane === lane));
