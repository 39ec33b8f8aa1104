// Money and decimals as they are typed. Money is whole paise everywhere else, and never a fraction of a float.
import { latinDigits } from '../../i18n/digits';

/** Digits of Devanagari are digits. */
function latin(typed: string): string {
  return latinDigits(typed.trim());
}

/** Rupees as they are typed, of paise. */
export function rupees(paise: number): string {
  const [sign, size] = paise < 0 ? ['-', -paise] : ['', paise];
  const rest = size % 100;
  const whole = `${sign}${(size - rest) / 100}`;
  return rest === 0 ? whole : `${whole}.${String(rest).padStart(2, '0')}`;
}

/** What a quantity (up to three decimals) comes to at a price for one, in paise: halves go up, as on the server. */
export function amount(quantity: number, price: number): number {
  const thousandths = BigInt(Math.round(quantity * 1_000)) * BigInt(price);
  return Number((thousandths + 500n) / 1_000n);
}

/** Paise, of rupees as they are typed; undefined where that is no amount. */
export function paise(typed: string): number | undefined {
  const [, whole, part = ''] = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(latin(typed).replaceAll(',', '')) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(part.padEnd(2, '0'));
}

/** A number with up to three decimals, as it is typed; undefined where it is none. */
export function decimal(typed: string): number | undefined {
  const text = latin(typed).replaceAll(',', '');
  return /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : undefined;
}

/** A number that may be below zero, as it is typed; undefined where it is none. */
export function signed(typed: string): number | undefined {
  const [, minus, size = ''] = /^(-?)(.*)$/.exec(latin(typed)) ?? [];
  const value = decimal(size);
  return value !== undefined && minus ? -value : value;
}

/** A whole number, as it is typed; undefined where it is none. */
export function whole(typed: string): number | undefined {
  const text = latin(typed).replaceAll(',', '');
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
