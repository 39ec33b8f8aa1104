// What the houses' cards show beyond what is measured in them: their order, and what their devices do.
import type { VerdictWord } from '../../api/verdict';
import { type Device, holderOf, reportedOf } from '../../screen/device';
import type { Rule } from '../../screen/place';
import { type VerdictLook, verdictLooks } from '../../ui/verdict';

const severity = Object.keys(verdictLooks) as VerdictLook[];

/** The houses as they are shown: the worst first, equals as the server has them. */
export function worstFirst<House extends { verdict: VerdictWord }>(houses: readonly House[]): House[] {
  return houses.toSorted((a, b) => severity.indexOf(a.verdict) - severity.indexOf(b.verdict));
}

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

/** The rule that starts some of these devices next, as far as that is known: its trigger holds already. */
export function nextOf(
  rules: readonly Rule[],
  devices: readonly Device[],
): { rule: Rule; at: number } | undefined {
  const ids = new Set(devices.map(({ id }) => id));
  return rules
    .flatMap((rule) => {
      const { status, actions } = rule;
      const isMine = actions.some(({ device_id }) => ids.has(device_id));
      return isMine && status.phase === 'pending' ? [{ rule, at: status.hold_since + status.length }] : [];
    })
    .sort((a, b) => a.at - b.at)[0];
}
