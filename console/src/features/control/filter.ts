// Which devices are shown, in which order, and under which place.
import { type DisplayStatus, displayStatus } from '../../i18n/domain';
import { type Device, holderOf } from '../../screen/device';

export interface Filter {
  text: string;
  /** The name of a polyhouse (or of the whole farm), with its zones. */
  place: string;
  status: DisplayStatus | '';
}

export const everything: Filter = { text: '', place: '', status: '' };

export interface Group {
  place: string;
  devices: Named[];
}

export interface Named {
  device: Device;
  /** The names that lead to its place, the outermost first. */
  path: string[];
  /** What kind of device it is, in words. */
  kind: string;
}

function matches({ device, path, kind }: Named, filter: Filter): boolean {
  const sought = filter.text.trim().toLocaleLowerCase();
  return (
    (filter.status === '' || displayStatus(device) === filter.status) &&
    (filter.place === '' || path[0] === filter.place) &&
    (sought === '' || [device.name, kind, ...path].some((text) => text.toLocaleLowerCase().includes(sought)))
  );
}

/** Whether somebody should look at a device first: it runs, somebody or something has it, its limits hold it back, or it
    cannot be reached. */
export function isBusy(device: Device): boolean {
  const held = device.limits_state != null && device.limits_state.held !== null;
  return !device.online || device.state.on === true || held || holderOf(device).by !== 'rest';
}

type Compare = (a: string, b: string) => number;

/** Those of them that match. */
export function matching(devices: readonly Named[], filter: Filter): Named[] {
  return devices.filter((named) => matches(named, filter));
}

/** What is in trouble, then what a person has, then what runs. */
export function ranked(devices: readonly Named[], compare: Compare): Named[] {
  const rank = ({ device }: Named) => ranks[displayStatus(device)];
  return [...devices].sort((a, b) => rank(a) - rank(b) || compare(a.device.name, b.device.name));
}

/** Nothing can be done here about what is offline: it comes after what runs. */
const ranks: Record<DisplayStatus, number> = { locked: 0, safety: 0, manual: 1, auto: 2, offline: 3 };

/** The matching ones of these by polyhouse, those of its zones after its own; all in the order of the language's alphabet, what
    belongs to the whole farm first. */
export function grouped(devices: readonly Named[], filter: Filter, compare: Compare): Group[] {
  const byPlace = new Map<string, Named[]>();
  for (const named of matching(devices, filter)) {
    const [place = ''] = named.path;
    const group = byPlace.get(place);
    if (group) group.push(named);
    else byPlace.set(place, [named]);
  }
  const zone = ({ path }: Named) => path.slice(1).join(' ');
  const isFarm = ([, [first]]: [string, Named[]]) => (first?.device.scope.type === 'farm' ? 0 : 1);
  return [...byPlace.entries()]
    .sort((a, b) => isFarm(a) - isFarm(b) || compare(a[0], b[0]))
    .map(([place, all]) => ({
      place,
      devices: all.sort((a, b) => compare(zone(a), zone(b)) || compare(a.device.name, b.device.name)),
    }));
}
