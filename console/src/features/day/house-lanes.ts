// The lanes of a house in their groups: each device with what it did, who decided about it and what its runs came to; then the
// rules, and what else happened.
import type { Lane, LaneSpan, Lanes } from './lanes';
import type { Window } from './window';

export interface DeviceLanes {
  id: string;
  name: string;
  reported?: Lane;
  decides?: Lane;
  effect?: Lane;
}

export interface HouseLanes {
  devices: DeviceLanes[];
  rules: Lane[];
  /** People, alerts, controllers, the server. */
  others: Lane[];
}

export function houseLanes({ lanes }: Lanes): HouseLanes {
  const all: HouseLanes = { devices: [], rules: [], others: [] };
  for (const lane of lanes) {
    const { kind, of, name } = lane;
    if (kind === 'phase') all.rules.push(lane);
    else if (of !== null && (kind === 'reported' || kind === 'decides' || kind === 'effect')) {
      let device = all.devices.find(({ id }) => id === of);
      if (!device) {
        device = { id: of, name };
        all.devices.push(device);
      }
      device[kind] = lane;
    } else all.others.push(lane);
  }
  return all;
}

const within = (lane: Lane | undefined, { from, to }: Window): LaneSpan[] =>
  (lane?.spans ?? []).filter((span) => span.to >= from && span.from < to);

/** Whether a device did nothing in a time, and nobody wanted anything of it. */
export function isIdle({ reported, decides, effect }: DeviceLanes, window: Window): boolean {
  const states = within(reported, window);
  return (
    states.every(({ state }) => state === 'off') &&
    within(decides, window).every(({ state }) => state === 'rest') &&
    within(effect, window).length === 0
  );
}

/** Whether a lane tells of nothing in a time: a rule that only waited or was off, a controller that could always be reached. */
export function isPlain(lane: Lane, window: Window): boolean {
  return within(lane, window).every(({ state }) => ['inactive', 'idle', 'online'].includes(state));
}
