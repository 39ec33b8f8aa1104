// What the devices of a house do, for the lines that tell it.
import { type Device, holderOf, reportedOf } from '../device';
import type { Rule } from '../place';

/** Whether nobody knows what a device does. */
export function isUnknown({ online, state }: Device): boolean {
  return !online || state.on === null;
}

/** Devices that do the same for the same reason, together. */
export function alike(devices: readonly Device[]): [Device, ...Device[]][] {
  const groups = new Map<string, [Device, ...Device[]]>();
  for (const device of devices) {
    const key = JSON.stringify([device.type, reportedOf(device), holderOf(device)]);
    const group = groups.get(key);
    if (group) group.push(device);
    else groups.set(key, [device]);
  }
  return [...groups.values()];
}

interface Next {
  rule: Rule;
  at: number;
  by: 'hold' | 'clock';
}

/** What starts some of these devices next: a rule whose trigger holds already, if it goes on to, or one by the clock. */
export function nextOf(rules: readonly Rule[], devices: readonly Device[]): Next | undefined {
  const ids = new Set(devices.map(({ id }) => id));
  return rules
    .filter(({ actions }) => actions.some(({ device_id }) => ids.has(device_id)))
    .flatMap((rule): Next[] => {
      const { status, next_start: start } = rule;
      if (status.phase === 'pending') return [{ rule, at: status.hold_since + status.length, by: 'hold' }];
      return typeof start === 'number' ? [{ rule, at: start, by: 'clock' }] : [];
    })
    .sort((a, b) => a.at - b.at)[0];
}
