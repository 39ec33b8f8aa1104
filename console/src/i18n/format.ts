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

/** Makes what is costly when it is first asked for: a phone needs 2 ms for each of Intl's objects, and a page a few of them. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Marathi says "at night", where Intl's word is "night". */
const marathiPartsOfDay: Record<string, string> = partsOfDay;

/** In a time zone, if the browser knows it. */
function inZone(locale: string, timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: DEFAULT_TIME_ZONE });
  }
}

/** The formatters of a language. */
export function formatters(
  language: Language,
  farmTimeZone = DEFAULT_TIME_ZONE,
  digits?: Digits,
): Formatters {
  const locale = localeOf(language, digits);
  const key = `${locale} ${farmTimeZone}`;
  const known = made.get(key);
  if (known) return known;
  const number = (options: Intl.NumberFormatOptions) => once(() => new Intl.NumberFormat(locale, options));
  const list = (type: Intl.ListFormatType) => once(() => new Intl.ListFormat(locale, { type }));
  const date = (options: Intl.DateTimeFormatOptions, of = locale) =>
    once(() => inZone(of, farmTimeZone, options));
  // A calendar day has no time zone: read as UTC and written as UTC it stays itself.
  const calendar = (options: Intl.DateTimeFormatOptions) =>
    once(() => new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }));
  /** A time of day as it is said: "10:33 pm", and in Hindi and Marathi with the part of the day before it. */
  const timed = (options: Intl.DateTimeFormatOptions): ((instant: Date) => string) => {
    const format = date({ ...options, ...(language !== 'en' && { dayPeriod: 'short' }) });
    if (language !== 'mr') return (instant) => format().format(instant);
    return (instant) =>
      format()
        .formatToParts(instant)
        .map(({ type, value }) => (type === 'dayPeriod' ? (marathiPartsOfDay[value] ?? value) : value))
        .join('');
  };
  const count = number({ maximumFractionDigits: 0 });
  const reading = number({ maximumFractionDigits: 2 });
  const steady = number({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const quantity = number({ maximumFractionDigits: 3 });
  const tenth = number({ maximumFractionDigits: 1 });
  const percent = number({ style: 'percent', maximumFractionDigits: 0 });
  const twoDigits = number({ minimumIntegerDigits: 2, maximumFractionDigits: 0 });
  const and = list('conjunction');
  const or = list('disjunction');
  const longDate = date({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const calendarDay = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const shortDate = date(calendarDay);
  const minutes = { hour: 'numeric', minute: '2-digit' } as const;
  const seconds = { ...minutes, second: '2-digit' } as const;
  const dayOfMonth = calendar({ day: 'numeric', month: 'short' });
  const shortDay = calendar(calendarDay);
  const monthName = calendar({ month: 'long' });
  const month = calendar({ month: 'short', year: 'numeric' });
  // Swedish writes dates as ISO does.
  const isoDay = date({ dateStyle: 'short' }, 'sv-SE');
  const day = date({ day: 'numeric', month: 'short' });
  // In numerals that Date can read, whatever the language.
  const wall = date(
    {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    },
    'en-u-nu-latn',
  );
  const collator = once(() => new Intl.Collator(locale, { numeric: true }));
  const fresh: Formatters = {
    count: (value) => count().format(value),
    reading: (value) => reading().format(value),
    steadyReading: (value) => steady().format(value),
    percent: (value) => percent().format(value / 100),
    tenth: (value) => tenth().format(value),
    // Not Intl's currency style: in Marathi it groups by thousands, where people count in lakhs as its plain numbers do.
    rupees: (value) => {
      const whole = Math.round(Math.abs(value) / 100);
      return `${whole > 0 && value < 0 ? '-' : ''}₹${count().format(whole)}`;
    },
    quantity: (value) => quantity().format(value),
    paise: (value) => {
      const digits = value % 100 === 0 ? count : steady;
      return `${value < 0 ? '-' : ''}₹${digits().format(Math.abs(value) / 100)}`;
    },
    shortDay: (day) => shortDay().format(new Date(`${day}T00:00:00Z`)),
    month: (of) => month().format(new Date(`${of}-01T00:00:00Z`)),
    longDate: (instant) => longDate().format(instant),
    shortDate: (instant) => shortDate().format(instant),
    dateTime: timed({ ...calendarDay, ...minutes }),
    dayOfMonth: (day) => dayOfMonth().format(new Date(`${day}T00:00:00Z`)),
    monthName: (of) => monthName().format(new Date(`2026-${of}-01T00:00:00Z`)),
    dayStart: (day) => {
      const midnight = Date.parse(`${day}T00:00:00Z`);
      const guess = midnight - fresh.offset(new Date(midnight));
      // Where the clocks change between the two, the second look is right.
      return midnight - fresh.offset(new Date(guess));
    },
    isoDay: (instant) => isoDay().format(instant),
    dayTime: timed({ day: 'numeric', month: 'short', ...minutes }),
    time: timed(seconds),
    clock: timed(minutes),
    hour: timed({ hour: 'numeric' }),
    day: (instant) => day().format(instant),
    offset: (instant) => {
      const of = Object.fromEntries(
        wall()
          .formatToParts(instant)
          .map(({ type, value }) => [type, Number(value)]),
      );
      const { year = 0, month = 1, day: date = 1, hour: hours = 0, minute = 0, second = 0 } = of;
      return (
        Date.UTC(year, month - 1, date, hours, minute, second) - Math.floor(instant.getTime() / 1_000) * 1_000
      );
    },
    compare: (a, b) => collator().compare(a, b),
    stopwatch: (seconds) => {
      const whole = Math.max(0, Math.floor(seconds));
      const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
      return hours > 0
        ? `${count().format(hours)}:${twoDigits().format(minutes)}:${twoDigits().format(rest)}`
        : `${count().format(minutes)}:${twoDigits().format(rest)}`;
    },
    list: (items) => and().format(items),
    either: (items) => or().format(items),
    exactTime: timed({ ...calendarDay, ...seconds }),
  };
  made.set(key, fresh);
  return fresh;
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
  // The browser's first Segmenter takes a phone 60 ms, and two letters without marks are two letters.
  if (/^\p{ASCII}(\p{ASCII}|$)/u.test(name)) return name.charAt(0).toUpperCase();
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(name);
  const first = segments[Symbol.iterator]().next();
  return first.done ? '' : first.value.segment.toUpperCase();
}
