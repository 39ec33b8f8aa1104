// The columns that several kinds have: each says a value as people read it, and plainly in an exported file.
import type { ParseKeys } from 'i18next';
import type { Column } from './kind';
import { rupees } from './money';

type Get<T, V> = (record: T) => V | null | undefined;

/** Words as they are. */
export function words<T>(label: ParseKeys, get: Get<T, string>): Column<T> {
  return { label, text: (record) => get(record) ?? null };
}

/** A word of a closed list. */
export function choice<T, W extends string>(
  label: ParseKeys,
  get: Get<T, W>,
  names: Readonly<Record<W, ParseKeys>>,
): Column<T> {
  return {
    label,
    text: (record, { t }) => {
      const word = get(record);
      const name: ParseKeys | null = word == null ? null : names[word];
      return name && t(name);
    },
  };
}

/** A calendar day. */
export function day<T>(label: ParseKeys, get: Get<T, string>): Column<T> {
  return {
    label,
    short: true,
    text: (record, { format }) => {
      const on = get(record);
      return on == null ? null : format.shortDay(on);
    },
    plain: (record) => get(record) ?? null,
  };
}

/** A number, with its unit where it has one. */
export function number<T>(label: ParseKeys, get: Get<T, number>, unit?: (record: T) => ParseKeys): Column<T> {
  return {
    label,
    short: true,
    text: (record, { t, format }) => {
      const value = get(record);
      if (value == null) return null;
      return unit
        ? t('records.withUnit', { value: format.quantity(value), unit: t(unit(record), { count: value }) })
        : format.quantity(value);
    },
    plain: (record) => get(record) ?? null,
  };
}

/** Money, kept in paise. */
export function money<T>(label: ParseKeys, get: Get<T, number>): Column<T> {
  return {
    label,
    short: true,
    money: true,
    text: (record, { format }) => {
      const paise = get(record);
      return paise == null ? null : format.paise(paise);
    },
    plain: (record) => {
      const paise = get(record);
      return paise == null ? null : rupees(paise);
    },
  };
}
