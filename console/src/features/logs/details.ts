// The free part of a log entry, line by line.
import type { ParseKeys, TFunction } from 'i18next';
import type { Format } from '../../i18n/format';
import type { LogEntry } from './queries';

type Details = LogEntry['details'];

/** More lines than this are no help to anybody. */
const MOST_LINES = 24;

/** What is called by a word; the rest by its own name. */
const words: Partial<Record<string, ParseKeys>> = {
  reason: 'logs.keys.reason',
  action: 'logs.keys.action',
  value: 'logs.keys.value',
  duration: 'logs.keys.duration',
  until: 'logs.keys.until',
  cause: 'logs.keys.cause',
  state: 'logs.keys.state',
  role: 'logs.keys.role',
  name: 'logs.keys.name',
  controller: 'logs.keys.controller',
  address: 'logs.keys.address',
};

/** Ids lead to what is shown elsewhere. */
const silent = /(^|_)(command_)?id$/;

const snake = (key: string) => key.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The command that an entry is about. */
export function commandIdOf(details: Details): string | undefined {
  const id = Object.entries(details ?? {}).find(([key]) => snake(key) === 'command_id')?.[1];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

export function detailLines(
  details: Details,
  t: TFunction,
  format: Format,
): { name: string; text: string }[] {
  return Object.entries(details ?? {})
    .map(([key, value]) => ({ key: snake(key), value }))
    .filter(({ key, value }) => !silent.test(key) && value !== null && value !== '')
    .slice(0, MOST_LINES)
    .map(({ key, value }) => {
      const word = words[key];
      return { name: word ? t(word) : key.replaceAll('_', ' '), text: textOf(key, value, t, format) };
    });
}

/** Instants end in `at` or `until`; anything that is no plain value is shown as it was written. */
function textOf(key: string, value: unknown, t: TFunction, format: Format): string {
  if (typeof value === 'boolean') return t(value ? 'logs.yes' : 'logs.no');
  if (typeof value === 'number') {
    return /(^|_)(at|until|from|to)$/.test(key) && value > 1e11
      ? format.exactTime(new Date(value))
      : format.reading(value);
  }
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
