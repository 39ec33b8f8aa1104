// What a device's document means to the person who wants to command it: where it stands, why it cannot be chosen, who has
// it, and what can be asked of it.
import type { Icon } from '@tabler/icons-react';
import SensorIcon from '~icon/AccessPoint';
import SirenIcon from '~icon/BellRinging';
import MixingIcon from '~icon/Blender';
import LightIcon from '~icon/Bulb';
import FoggerIcon from '~icon/CloudFog';
import ValveIcon from '~icon/DropletHalf2';
import PumpIcon from '~icon/Engine';
import HeaterIcon from '~icon/Flame';
import FanIcon from '~icon/Propeller';
import DosingIcon from '~icon/TestPipe2';
import ShadeIcon from '~icon/Umbrella';
import VentIcon from '~icon/Wind';
import CurtainIcon from '~icon/WindowMaximize';
import type { components } from '../api/schema';
import { actionSpecs, type DisplayStatus } from '../i18n/domain';
import type { DeviceDoes, DeviceMark } from '../ui/icons/DeviceIcon';
import { statusLooks } from './status';

export type Device = components['schemas']['Device'];
export type DeviceLock = components['schemas']['DeviceLock'];
export type SupportedAction = components['schemas']['SupportedAction'];
export type ActionName = components['schemas']['ActionName'];

export const statuses = Object.keys(statusLooks) as DisplayStatus[];

export const typeIcons: Record<Device['type'], Icon> = {
  fan: FanIcon,
  vent: VentIcon,
  pump: PumpIcon,
  valve: ValveIcon,
  dosing_pump: DosingIcon,
  fogger: FoggerIcon,
  heater: HeaterIcon,
  light: LightIcon,
  shade: ShadeIcon,
  curtain: CurtainIcon,
  mixing_pump: MixingIcon,
  siren: SirenIcon,
  sensor: SensorIcon,
};

/** Why somebody cannot command a device; undefined if they can. What is locked or in safety mode can still be switched off. */
export function refusalOf(device: Device, admin: boolean): 'offline' | 'locked' | 'safety' | undefined {
  if (!device.online) return 'offline';
  if (device.state.locks.length > 0) return 'locked';
  // Also while an admin has it: the server would refuse everybody else.
  if (device.state.safety && !admin) return 'safety';
  return undefined;
}

/** Whether a device is known to do something now. */
export function runs({ online, state }: Device): boolean {
  return online && state.on === true;
}

/** Who decides what a device does now. */
export type Holder =
  | { by: 'lock'; lock: Device['state']['locks'][number] }
  | { by: 'safety' }
  | { by: 'person'; name: string; until: number | null }
  | { by: 'rule'; rule: string }
  | { by: 'pulse'; rule: string; until: number }
  | { by: 'limit' }
  | { by: 'rest' };

/** Limits that keep a device on although nobody wants it any more. */
const KEPT_ON = ['min_on', 'needed'];

export function holderOf({ state, desired_by, pulse, limits_state }: Device): Holder {
  const [lock] = state.locks;
  if (lock) return { by: 'lock', lock };
  if (state.mode === 'manual') return { by: 'person', name: state.source, until: state.manualOverrideUntil };
  if (state.mode === 'safety') return { by: 'safety' };
  if (pulse) return { by: 'pulse', ...pulse };
  if (state.on && KEPT_ON.includes(limits_state?.held ?? '')) return { by: 'limit' };
  return desired_by === 'rest' ? { by: 'rest' } : { by: 'rule', rule: desired_by };
}

/** The rules that want something of a device that somebody or something else has. */
export function waitingRules(device: Device): string[] {
  const holder = holderOf(device);
  return device.claims.map(({ rule }) => rule).filter((rule) => holder.by !== 'rule' || rule !== holder.rule);
}

/** A value that can be set, and between what. */
export interface ValueRange {
  action: ActionName;
  unit: 'percent' | 'flow';
  min: number;
  max: number;
  step: number;
}

const steps = { percent: 1, flow: 0.1 };

/** The range of an action's value; undefined for on, off and pulse, whose seconds are a duration. */
export function rangeOf({ action, minValue, maxValue }: SupportedAction): ValueRange | undefined {
  const { unit, min, max } = actionSpecs[action];
  if (unit !== 'percent' && unit !== 'flow') return undefined;
  return {
    action,
    unit,
    min: Math.max(min, minValue ?? min),
    max: Math.min(max, maxValue ?? max),
    step: steps[unit],
  };
}

/** The range of the panel's one value: that of the first action that has one. */
export function valueRange(device: Device): ValueRange | undefined {
  for (const action of device.supportedActions) {
    const range = rangeOf(action);
    if (range) return range;
  }
  return undefined;
}

/** Where the panel's one value begins: at what the device does, else in the middle. Off has a button of its own. */
export function startValue(device: Device): number {
  const range = valueRange(device);
  if (!range) return 0;
  const { on, value } = device.state;
  const middle = range.unit === 'flow' ? range.min : (range.min + range.max) / 2;
  return Math.min(range.max, Math.max(range.min, on && value !== null && value > 0 ? value : middle));
}

/** A pulse's shortest and longest seconds; undefined where a device takes none. */
export function pulseRange(device: Device): { min: number; max: number } | undefined {
  const pulse = device.supportedActions.find(({ action }) => action === 'pulse');
  const { min, max } = actionSpecs.pulse;
  return pulse && { min: Math.max(min, pulse.minValue ?? min), max: Math.min(max, pulse.maxValue ?? max) };
}

/** What is missing to a device that never goes on, because it is not known to go off by itself; undefined of any other lock. */
export function leaseLock({ kind, reason }: Pick<DeviceLock, 'kind' | 'reason'>) {
  const is = kind === 'controller' && (reason === 'lease_unproven' || reason === 'no_lease');
  return is ? reason : undefined;
}

/** What the device itself reports, as far as it says anything. */
export type Reported =
  | { is: 'unknown' }
  | { is: 'off' }
  | { is: 'on' }
  | { is: 'value'; value: number; action: ActionName };

export function reportedOf(device: Device): Reported {
  const { on, value } = device.state;
  if (on === null) return { is: 'unknown' };
  if (!on) return { is: 'off' };
  const range = valueRange(device);
  // A valve that only opens and closes has no use for "100 %".
  return range && value !== null && value > 0 ? { is: 'value', value, action: range.action } : { is: 'on' };
}

/** How a device is drawn: what it does, as far as it says so itself, and what comes before that. */
export function looksOf(device: Device): {
  kind: Device['type'];
  does: DeviceDoes;
  mark: DeviceMark | undefined;
} {
  const { type: kind, online, state, last_sent } = device;
  const wasTold = last_sent !== null && last_sent.action !== 'off' && last_sent.value !== 0;
  const known = state.on ? 'on' : wasTold && state.locks.length === 0 ? 'told' : 'off';
  return { kind, does: !online || state.on === null ? 'unknown' : known, mark: markOf(device) };
}

function markOf({ online, state }: Device): DeviceMark | undefined {
  if (!online) return 'offline';
  if (state.locks.some(({ kind }) => kind === 'keeps_stopping' || kind === 'keeps_starting')) return 'failed';
  if (state.locks.length > 0 || state.safety) return 'locked';
  return state.mode === 'manual' ? 'hand' : undefined;
}
