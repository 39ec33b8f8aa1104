// The part of a log entry that depends on its kind, line by line. What the sentence of the entry says is not said again.
import type { ParseKeys, TFunction } from 'i18next';
import type { DomainWords } from '../../i18n/domain';
import type { Format } from '../../i18n/format';
import { roleTexts } from '../../i18n/roles';
import type { LogEntry } from './queries';

/** More lines than this are no help to anybody. */
const MOST_LINES = 24;

export interface DetailLine {
  name: string;
  text: string;
}

/** The entries that tell of records (tasks, people, documents): these carry fields of what was written. */
const RECORD = 'record';
const inSentence = new Set([
  'action',
  'subject',
  'name',
  'kind',
  'commands',
  'reason',
  'durationSec',
  'devices',
]);

/** What the fields of a record are called. */
const fields: Partial<Record<string, ParseKeys>> = {
  title: 'logs.field.title',
  dueDate: 'logs.field.dueDate',
  category: 'logs.field.category',
  priority: 'logs.field.priority',
  status: 'logs.field.status',
  from: 'logs.field.from',
  to: 'logs.field.to',
  before: 'logs.field.before',
  email: 'logs.field.email',
  phone: 'logs.field.phone',
  contact: 'logs.field.contact',
  role: 'logs.field.role',
  capacity: 'logs.field.capacity',
  isActive: 'logs.field.isActive',
  scope: 'logs.field.scope',
  mode: 'logs.field.mode',
  method: 'logs.field.method',
  times: 'logs.field.times',
};

/** What their values are called, where they are words of a list. */
const values: Partial<Record<string, Partial<Record<string, ParseKeys>>>> = {
  role: roleTexts,
  method: {
    PASSWORD: 'logs.method.PASSWORD',
    CODE: 'logs.method.CODE',
    REGISTRATION: 'logs.method.REGISTRATION',
    INVITE: 'logs.method.INVITE',
  },
};

export function detailLines(entry: LogEntry, t: TFunction, words: DomainWords, format: Format): DetailLine[] {
  const { details } = entry;
  const devices = namesIn(details['devices']);
  const sensors = namesIn(details['sensors']);
  const seconds = details['durationSec'];
  return [
    // Without a person behind it the reason is the engine's, and the sentence has it in words.
    ...(entry.userName && details.reason ? [{ name: t('logs.reason'), text: details.reason }] : []),
    ...(typeof seconds === 'number' ? [{ name: t('logs.duration'), text: words.duration(seconds) }] : []),
    ...(devices.length > 0 ? [{ name: t('logs.devices'), text: format.list(devices) }] : []),
    ...(sensors.length > 0 ? [{ name: t('logs.sensors'), text: format.list(sensors) }] : []),
    ...(details.kind === RECORD ? recordLines(details, t, format) : []),
  ];
}

/** Names of devices, or of sensors given with their ids. */
function namesIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .map((item: unknown) => {
      if (typeof item === 'string') return item;
      const { name, id } = (item ?? {}) as { name?: string; id?: string };
      return name || id || '';
    })
    .filter((name) => name !== '');
}

/** Fields of what was written; one without a word under its own name, and no id of something else. */
function recordLines(details: LogEntry['details'], t: TFunction, format: Format): DetailLine[] {
  return Object.entries(details)
    .filter(([key, value]) => !inSentence.has(key) && !key.endsWith('Id') && value !== null && value !== '')
    .slice(0, MOST_LINES)
    .map(([key, value]) => {
      const word = fields[key];
      const known = values[key]?.[String(value)];
      return { name: word ? t(word) : spaced(key), text: known ? t(known) : plain(value, t, format) };
    });
}

/** `dueDate` and `due_date` as "due date". */
function spaced(key: string): string {
  return key.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
}

function plain(value: unknown, t: TFunction, format: Format): string {
  if (typeof value === 'boolean') return t(value ? 'logs.yes' : 'logs.no');
  if (typeof value === 'number') return format.reading(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return format.list(value);
  if (typeof value === 'string') return value;
  // A place has its path with it.
  const { path } = value as { path?: unknown };
  return typeof path === 'string' ? path : JSON.stringify(value);
}
