// What is looked for in the log: as it stands in the URL, and as the server is asked.
import type { components } from '../../api/schema';
import { firstInstant, nextDay } from '../../i18n/days';

type LogEntry = components['schemas']['LogEntry'];
export type LogType = LogEntry['type'];
export type LogResult = LogEntry['result'];

export const PAGE_SIZE = 20;

/** The longest text to look for; the server takes no longer one. */
export const MAX_TEXT = 100;

export const logTypes = [
  'manual_command',
  'rule_trigger',
  'rule_deploy',
  'safety_override',
  'device_offline',
  'other',
] as const satisfies readonly LogType[];

export const logResults = ['success', 'failure', 'pending'] as const satisfies readonly LogResult[];

/** The filters of the screen. Days are of the farm, as YYYY-MM-DD, both included. */
export interface LogFilters {
  type?: LogType;
  result?: LogResult;
  device?: string;
  user?: string;
  start?: string;
  end?: string;
}

export type FilterName = keyof LogFilters;

export const filterNames = ['type', 'result', 'device', 'user', 'start', 'end'] as const;

/** Where somebody is in the log. */
export interface LogPlace {
  filters: LogFilters;
  /** From 1. */
  page: number;
  /** On later pages: the newest instant that is counted, so that new entries do not push what is being read. */
  asOf?: number;
}

const readers: { [Name in FilterName]: (text: string) => LogFilters[Name] } = {
  type: (text) => logTypes.find((type) => type === text),
  result: (text) => logResults.find((result) => result === text),
  device: someText,
  user: someText,
  start: someDay,
  end: someDay,
};

function someText(text: string): string | undefined {
  return text.trim() === '' ? undefined : text.slice(0, MAX_TEXT);
}

function someDay(text: string): string | undefined {
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  // The calendar has no 31 June: JavaScript would make it 1 July.
  return day && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : undefined;
}

/** Reads the URL. What makes no sense counts as not said. */
export function readPlace(search: URLSearchParams): LogPlace {
  const filters: LogFilters = {};
  for (const name of filterNames) {
    const value = readers[name](search.get(name) ?? '');
    if (value !== undefined) Object.assign(filters, { [name]: value });
  }
  const page = wholeNumber(search.get('page')) ?? 1;
  const asOf = wholeNumber(search.get('asOf'));
  return { filters, page, ...(page > 1 && asOf !== undefined && { asOf }) };
}

function wholeNumber(text: string | null): number | undefined {
  const number = Number(text);
  return text !== null && /^\d{1,15}$/.test(text) && number > 0 ? number : undefined;
}

/** Writes the URL: only what is said, always in the same order. */
export function writePlace({ filters, page, asOf }: LogPlace): URLSearchParams {
  const search = new URLSearchParams();
  for (const name of filterNames) {
    const value = filters[name];
    if (value) search.set(name, value);
  }
  if (page > 1) {
    search.set('page', String(page));
    if (asOf !== undefined) search.set('asOf', String(asOf));
  }
  return search;
}

/** The filters with one changed; '' takes it away. */
export function withFilter(filters: LogFilters, name: FilterName, value: string): LogFilters {
  const { [name]: _, ...others } = filters;
  const read = readers[name](value);
  return read === undefined ? others : { ...others, [name]: read };
}

export function isFiltered(filters: LogFilters): boolean {
  return filterNames.some((name) => filters[name] !== undefined);
}

/** What the server is asked for. */
export interface LogQuestion {
  type?: LogType;
  result?: LogResult;
  device?: string;
  user?: string;
  /** Epoch milliseconds, both included. */
  from?: number;
  to?: number;
  page: number;
  pageSize: number;
}

/** Days become instants of the farm's time zone. */
export function question({ filters, page, asOf }: LogPlace, timeZone: string): LogQuestion {
  const { type, result, device, user, start, end } = filters;
  const from = start && firstInstant(start, timeZone);
  const last = end && firstInstant(nextDay(end), timeZone) - 1;
  const to = asOf === undefined ? last : Math.min(asOf, last || asOf);
  return {
    ...(type && { type }),
    ...(result && { result }),
    ...(device && { device: device.trim() }),
    ...(user && { user: user.trim() }),
    ...(from !== undefined && from !== '' && { from }),
    ...(to !== undefined && to !== '' && { to }),
    page,
    pageSize: PAGE_SIZE,
  };
}

/** Asks how many entries have come since somebody began to turn pages; nothing to ask where none could match. */
export function newerQuestion(place: LogPlace, timeZone: string): LogQuestion | undefined {
  if (place.asOf === undefined) return undefined;
  const all = question({ filters: place.filters, page: 1 }, timeZone);
  const from = Math.max(place.asOf + 1, all.from ?? 0);
  if (all.to !== undefined && all.to < from) return undefined;
  return { ...all, from, pageSize: 1 };
}

/** Whether a question can find nothing because it ends before it begins. */
export function isReversed({ from, to }: LogQuestion): boolean {
  return from !== undefined && to !== undefined && from > to;
}
