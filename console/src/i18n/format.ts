// The only place that turns numbers, units, money and instants into text. People see Indian formats in their language and
// the farm's time.
import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { type Digits, localeOf, useChosenDigits } from './digits';
import { useLanguage } from './i18n';
import type { Language } from './languages';
import partsOfDay from './mr-parts-of-day.json';

/** The time zone where no farm is chosen (or its zone is unknown to the browser). */
const DEFAULT_TIME_ZONE = 'Asia/Kolkata';

/** The time zone of the farm on screen. */
export const FarmTimeZone = createContext(DEFAULT_TIME_ZONE);

/** Ways to write values for people. */
export interface Format {
  /** A count. */
  count(value: number): string;
  /** A reading: at most 2 decimals. */
  reading(value: number): string;
  /** A reading where it is looked at in passing: at most one decimal. */
  tenth(value: number): string;
  /** A reading with 2 decimals, for numerals that must not jump as they change. */
  steadyReading(value: number): string;
  /** A share given as 0 to 100. */
  percent(value: number): string;
  /** A quantity: at most 3 decimals. */
  quantity(value: number): string;
  /** Rupees with their paise where there are any, of an amount in paise. */
  paise(value: number): string;
  /** 21 Nov 2026, of a calendar day given as YYYY-MM-DD. */
  shortDay(day: string): string;
  /** Nov 2026, of a month given as YYYY-MM. */
  month(month: string): string;
  /** Rupees without paise. */
  rupees(value: number): string;
  celsius(value: number): string;
  windSpeed(value: number): string;
  hectopascal(value: number): string;
  /** Saturday, 21 November 2026. */
  longDate(instant: Date): string;
  /** 21 Nov 2026. */
  shortDate(instant: Date): string;
  /** 21 Nov 2026, 4:07 pm. */
  dateTime(instant: Date): string;
  /** 21 Nov, of a calendar day given as YYYY-MM-DD. */
  dayOfMonth(day: string): string;
  /** November, of a month given as MM. */
  monthName(month: string): string;
  /** The farm's calendar day at an instant, as YYYY-MM-DD: for forms and the wire, not for people. */
  isoDay(instant: Date): string;
  /** 21 Nov, 4:07 pm. */
  dayTime(instant: Date): string;
  /** When a calendar day (YYYY-MM-DD) begins on the farm, as milliseconds since 1970. */
  dayStart(day: string): number;
  /** 4:07:31 pm: for the time of a reading of today. */
  time(instant: Date): string;
  /** 4:07 pm. */
  clock(instant: Date): string;
  /** 4 pm: for the time axis of a chart. */
  hour(instant: Date): string;
  /** 21 Nov. */
  day(instant: Date): string;
  /** How far the farm's clock is ahead of UTC, in milliseconds. */
  offset(instant: Date): number;
  /** The order of names in the language's alphabet; "Fan 2" before "Fan 10". */
  compare(a: string, b: string): number;
  /** 3:40, or 1:05:00 from an hour on. */
  stopwatch(seconds: number): string;
  /** a, b and c. */
  list(items: readonly string[]): string;
  /** a, b or c. */
  either(items: readonly string[]): string;
  /** 21 Nov 2026, 4:07:31 pm: where the second matters. */
  exactTime(instant: Date): string;
}

type Formatters = Omit<Format, 'celsius' | 'windSpeed' | 'hectopascal'>;

const made = new Map<string, Formatters>();

/** Marathi says "at night", where Intl's word is "night". */
const marathiPartsOfDay: Record<string, string> = partsOfDay;

/** A time of day as it is said: "10:33 pm", and in Hindi and Marathi with the part of the day before it. */
function timed(
  language: Language,
  locale: string,
  options: Intl.DateTimeFormatOptions,
): (instant: Date) => string {
  const format = new Intl.DateTimeFormat(locale, {
    ...options,
    ...(language !== 'en' && { dayPeriod: 'short' }),
  });
  if (language !== 'mr') return (instant) => format.format(instant);
  return (instant) =>
    format
      .formatToParts(instant)
      .map(({ type, value }) => (type === 'dayPeriod' ? (marathiPartsOfDay[value] ?? value) : value))
      .join('');
}

/** The formatters of a language; Intl objects are costly, so they are made once. */
export function formatters(
  language: Language,
  farmTimeZone = DEFAULT_TIME_ZONE,
  digits?: Digits,
): Formatters {
  const locale = localeOf(language, digits);
  const key = `${locale} ${farmTimeZone}`;
  const known = made.get(key);
  if (known) return known;
  const timeZone = supported(farmTimeZone);
  const count = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const reading = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const steady = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const quantity = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const tenth = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const twoDigits = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2, maximumFractionDigits: 0 });
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  const either = new Intl.ListFormat(locale, { type: 'disjunction' });
  const longDate = new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone,
  });
  const calendarDay = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const shortDate = new Intl.DateTimeFormat(locale, { ...calendarDay, timeZone });
  const minutes = { hour: 'numeric', minute: '2-digit' } as const;
  const seconds = { ...minutes, second: '2-digit' } as const;
  const dateTime = timed(language, locale, { ...calendarDay, ...minutes, timeZone });
  // A calendar day has no time zone: read as UTC and written as UTC it stays itself.
  const dayOfMonth = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const shortDay = new Intl.DateTimeFormat(locale, { ...calendarDay, timeZone: 'UTC' });
  const monthName = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });
  const month = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' });
  // Swedish writes dates as ISO does.
  const isoDay = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone });
  const dayTime = timed(language, locale, { day: 'numeric', month: 'short', ...minutes, timeZone });
  const time = timed(language, locale, { ...seconds, timeZone });
  const clock = timed(language, locale, { ...minutes, timeZone });
  const hour = timed(language, locale, { hour: 'numeric', timeZone });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone });
  // In numerals that Date can read, whatever the language.
  const wall = new Intl.DateTimeFormat('en-u-nu-latn', {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
    timeZone,
  });
  const collator = new Intl.Collator(locale, { numeric: true });
  const exactTime = timed(language, locale, { ...calendarDay, ...seconds, timeZone });
  const fresh: Formatters = {
    count: (value) => count.format(value),
    reading: (value) => reading.format(value),
    steadyReading: (value) => steady.format(value),
    percent: (value) => percent.format(value / 100),
    tenth: (value) => tenth.format(value),
    // Not Intl's currency style: in Marathi it groups by thousands, where people count in lakhs as its plain numbers do.
    rupees: (value) => {
      const whole = Math.round(Math.abs(value) / 100);
      return `${whole > 0 && value < 0 ? '-' : ''}₹${count.format(whole)}`;
    },
    quantity: (value) => quantity.format(value),
    paise: (value) => {
      const digits = value % 100 === 0 ? count : steady;
      return `${value < 0 ? '-' : ''}₹${digits.format(Math.abs(value) / 100)}`;
    },
    shortDay: (day) => shortDay.format(new Date(`${day}T00:00:00Z`)),
    month: (of) => month.format(new Date(`${of}-01T00:00:00Z`)),
    longDate: (instant) => longDate.format(instant),
    shortDate: (instant) => shortDate.format(instant),
    dateTime,
    dayOfMonth: (day) => dayOfMonth.format(new Date(`${day}T00:00:00Z`)),
    monthName: (of) => monthName.format(new Date(`2026-${of}-01T00:00:00Z`)),
    dayStart: (day) => {
      const midnight = Date.parse(`${day}T00:00:00Z`);
      const guess = midnight - fresh.offset(new Date(midnight));
      // Where the clocks change between the two, the second look is right.
      return midnight - fresh.offset(new Date(guess));
    },
    isoDay: (instant) => isoDay.format(instant),
    dayTime,
    time,
    clock,
    hour,
    day: (instant) => day.format(instant),
    offset: (instant) => {
      const of = Object.fromEntries(
        wall.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
      );
      const { year = 0, month = 1, day: date = 1, hour: hours = 0, minute = 0, second = 0 } = of;
      return (
        Date.UTC(year, month - 1, date, hours, minute, second) - Math.floor(instant.getTime() / 1_000) * 1_000
      );
    },
    compare: (a, b) => collator.compare(a, b),
    stopwatch: (seconds) => {
      const whole = Math.max(0, Math.floor(seconds));
      const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
      return hours > 0
        ? `${count.format(hours)}:${twoDigits.format(minutes)}:${twoDigits.format(rest)}`
        : `${count.format(minutes)}:${twoDigits.format(rest)}`;
    },
    list: (items) => list.format(items),
    either: (items) => either.format(items),
    exactTime,
  };
  made.set(key, fresh);
  return fresh;
}

function supported(timeZone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return timeZone;
  } catch {
    return DEFAULT_TIME_ZONE;
  }
}

/** The formatters of the language being shown. */
export function useFormat(): Format {
  const { t } = useTranslation();
  const fixed = formatters(useLanguage(), useContext(FarmTimeZone), useChosenDigits());
  return {
    ...fixed,
    // Intl knows these units by names that nobody on a farm uses (or, for the hectopascal, not at all).
    celsius: (value) => t('unit.celsius', { value: fixed.tenth(value) }),
    windSpeed: (value) => t('unit.kilometresPerHour', { value: fixed.count(value) }),
    hectopascal: (value) => t('unit.hectopascal', { value: fixed.count(value) }),
  };
}

/** The first letter of a name as people count letters: a Devanagari syllable stays whole. */
export function initial(name: string): string {
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(name);
  const first = segments[Symbol.iterator]().next();
  return first.done ? '' : first.value.segment.toUpperCase();
}
