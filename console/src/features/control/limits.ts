// A device's limits as its form has them: numbers as they are typed, in the unit that is easy to say, and back into the
// document without loss.
import type { components } from '../../api/schema';
import type { Device } from '../../screen/device';
import { numberTyped } from '../../ui/wheel';
import { type HoursValues, hoursBody, hoursMissing, hoursValues } from './hours';

export type LimitsInput = components['schemas']['DeviceLimitsInput'];
type Limits = NonNullable<Device['limits']>;

/** How much of the document's unit (s, ml) one of these is. */
export const factors = { s: 1, min: 60, h: 3_600, ml: 1, l: 1_000, times: 1 } as const;
export type Unit = keyof typeof factors;

export const times = ['s', 'min', 'h'] as const satisfies Unit[];
export const volumes = ['ml', 'l'] as const satisfies Unit[];
export const counts = ['times'] as const satisfies Unit[];

/** A limit that may be set, and its number. */
export interface Amount {
  on: boolean;
  text: string;
  unit: Unit;
}

/** The seconds after which a device that must carry another counts, unless the document says otherwise. */
const CARRIED_SEC = '3';

export interface LimitsValues extends Record<string, unknown> {
  limits: {
    min_on_sec: Amount;
    min_off_sec: Amount;
    starts_per_hour: Amount;
    groups: string[];
    needs: { on: boolean; any: string[]; for_sec: string };
    sec_per_day: Amount;
    ml_per_day: Amount;
    ml_per_sec: string;
    hours: HoursValues;
  };
  max_on_sec: Amount;
  max_pulse_sec_per_hour: Amount;
}

/** A number without the dust of binary fractions: the server keeps six decimals. */
const clean = (value: number) => Math.round(value * 1_000_000) / 1_000_000;

/** An amount in the largest unit in which it is easily said. */
function amountOf(value: number | null | undefined, units: readonly Unit[], usual: Unit): Amount {
  if (value == null) return { on: false, text: '', unit: usual };
  const says = (unit: Unit) => {
    const number = value / factors[unit];
    return number >= 1 && Number.isInteger(unit === 'l' ? clean(number * 100) : number);
  };
  const unit = [...units].reverse().find(says) ?? units[0] ?? usual;
  return { on: true, text: String(clean(value / factors[unit])), unit };
}

export function valuesOf(device: Device): LimitsValues {
  const limits: Limits = device.limits ?? {};
  return {
    limits: {
      min_on_sec: amountOf(limits.min_on_sec, times, 'min'),
      min_off_sec: amountOf(limits.min_off_sec, times, 'min'),
      starts_per_hour: amountOf(limits.starts_per_hour, counts, 'times'),
      groups: limits.groups ?? [],
      needs: {
        on: limits.needs != null,
        any: limits.needs?.any ?? [],
        for_sec: limits.needs ? String(limits.needs.for_sec ?? CARRIED_SEC) : CARRIED_SEC,
      },
      sec_per_day: amountOf(limits.sec_per_day, times, 'min'),
      ml_per_day: amountOf(limits.ml_per_day, volumes, 'l'),
      ml_per_sec: limits.ml_per_sec == null ? '' : String(limits.ml_per_sec),
      hours: hoursValues(limits.hours),
    },
    max_on_sec: amountOf(device.max_on_sec, times, 'min'),
    max_pulse_sec_per_hour: amountOf(device.max_pulse_sec_per_hour, times, 's'),
  };
}

/** What an amount says in the document's unit; not a number where nothing right was typed. */
export const amountTyped = ({ text, unit }: Amount) => clean(numberTyped(text) * factors[unit]);

/** The document; only of values with which nothing is wrong. */
export function bodyOf({ limits: typed, ...beside }: LimitsValues): LimitsInput {
  const said = (amount: Amount) => (amount.on ? amountTyped(amount) : null);
  const all: Limits = {
    min_on_sec: said(typed.min_on_sec),
    min_off_sec: said(typed.min_off_sec),
    starts_per_hour: said(typed.starts_per_hour),
    groups: typed.groups.length > 0 ? typed.groups : null,
    needs: typed.needs.on ? { any: typed.needs.any, for_sec: numberTyped(typed.needs.for_sec) } : null,
    sec_per_day: said(typed.sec_per_day),
    ml_per_day: said(typed.ml_per_day),
    ml_per_sec: typed.ml_per_sec.trim() === '' ? null : numberTyped(typed.ml_per_sec),
    hours: hoursBody(typed.hours),
  };
  const limits = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Limits;
  return {
    limits: Object.keys(limits).length > 0 ? limits : null,
    max_on_sec: said(beside.max_on_sec),
    max_pulse_sec_per_hour: said(beside.max_pulse_sec_per_hour),
  };
}

/** What no server has to be asked about: the paths of numbers that are none, and of choices that were not made. */
export function missing({ limits, ...beside }: LimitsValues): {
  numbers: string[];
  choices: string[];
  times: string[];
} {
  const amounts = {
    'limits.min_on_sec': limits.min_on_sec,
    'limits.min_off_sec': limits.min_off_sec,
    'limits.starts_per_hour': limits.starts_per_hour,
    'limits.sec_per_day': limits.sec_per_day,
    'limits.ml_per_day': limits.ml_per_day,
    max_on_sec: beside.max_on_sec,
    max_pulse_sec_per_hour: beside.max_pulse_sec_per_hour,
  };
  const numbers = Object.entries(amounts)
    .filter(([, amount]) => amount.on && !(amountTyped(amount) > 0))
    .map(([path]) => path);
  const flow = numberTyped(limits.ml_per_sec);
  if (limits.ml_per_day.on ? !(flow > 0) : limits.ml_per_sec.trim() !== '' && !(flow > 0))
    numbers.push('limits.ml_per_sec');
  if (limits.needs.on && !(numberTyped(limits.needs.for_sec) >= 0)) numbers.push('limits.needs.for_sec');
  const choices = limits.needs.on && limits.needs.any.length === 0 ? ['limits.needs.any'] : [];
  const hours = hoursMissing(limits.hours);
  const below = (paths: string[]) => paths.map((path) => `limits.hours.${path}`);
  return {
    numbers: [...numbers, ...below(hours.numbers)],
    choices: [...choices, ...below(hours.choices)],
    times: below(hours.times),
  };
}
