// The fields of a record's form, as a table: what each holds while it is typed, what it sends, and what is wrong with it.
import type { UseFormReturnType } from '@mantine/form';
import type { ParseKeys, TFunction } from 'i18next';
import type { ComponentType } from 'react';
import { decimal, paise, rupees, signed, whole } from './money';

export type Values = Record<string, unknown>;
export type RecordForm = UseFormReturnType<Values>;

/** A line of a list while it is typed; the key stays with it as others come and go. */
export type Line = Values & { key: number };

/** What stands beside a field is given. */
export interface BesideProps {
  form: RecordForm;
  farmId: string;
  name: string;
}

interface Common {
  /** As on the wire. */
  name: string;
  label: ParseKeys;
  required?: true;
  hint?: ParseKeys;
  /** Says below the label what follows from what is typed so far. */
  about?: ComponentType<{ values: Values; farmId: string }>;
  /** Whether it is asked for, by what is typed so far; it sends nothing otherwise. */
  when?: (values: Values) => boolean;
  /** What stands above it. */
  before?: ComponentType<BesideProps>;
  /** What stands below it. */
  after?: ComponentType<BesideProps>;
  /** In a line it has a row of its own. */
  wide?: true;
}

/** A list of lines, each with its own fields. */
export interface ListField extends Common {
  kind: 'list';
  fields: readonly Field[];
  least?: number;
  most: number;
  /** What one more line begins with. */
  begin?: (lines: readonly Line[]) => object;
  /** The words of a line, each with its number. */
  nth?: ParseKeys;
  add: ParseKeys;
  removeNth: ParseKeys;
  /** What a line comes to. */
  sum?: ComponentType<{ line: Line }>;
}

export type Field =
  /** A value that is typed; a `reading` may be below zero. */
  | (Common & { kind: 'line' | 'lines' | 'count' | 'decimal' | 'reading' | 'rupees' })
  /** A calendar day; `today` where it is mostly that. */
  | (Common & { kind: 'day'; today?: true })
  | (Common & { kind: 'choice'; options: Readonly<Record<string, ParseKeys>> })
  /** A zone, crop cycle or item of the farm, by its id. */
  | (Common & { kind: 'zone' | 'cycle' | 'item' })
  | ListField;

const readers: Partial<Record<Field['kind'], (typed: string) => number | undefined>> = {
  count: whole,
  decimal,
  reading: signed,
  rupees: paise,
};
const mistakes: Partial<Record<Field['kind'], ParseKeys>> = {
  count: 'records.wholeWrong',
  decimal: 'records.numberWrong',
  reading: 'records.numberWrong',
  rupees: 'records.rupeesWrong',
};

/** Whether a field is asked for. */
export function asked({ when }: Field, values: Values): boolean {
  return when?.(values) ?? true;
}

/** What a field holds at first; `today` of a new record alone. */
export function first(field: Field, record: object | undefined, today?: string): unknown {
  const value: unknown = record && (record as Record<string, unknown>)[field.name];
  if (field.kind === 'list') {
    const lines = ((value ?? []) as object[]).map((line, nth) => typedLine(field, line, nth));
    return lines.length < (field.least ?? 0) ? [another(field, lines)] : lines;
  }
  if (value == null) return (field.kind === 'day' && field.today && today) || '';
  return field.kind === 'rupees' && typeof value === 'number' ? rupees(value) : String(value);
}

function typedLine({ fields }: ListField, line: object, key: number): Line {
  return { ...Object.fromEntries(fields.map((field) => [field.name, first(field, line)])), key };
}

/** One more line. */
export function another(list: ListField, lines: readonly Line[]): Line {
  return typedLine(list, list.begin?.(lines) ?? {}, 1 + Math.max(-1, ...lines.map(({ key }) => key)));
}

/** What fields send, by name: null where nothing was typed or nothing is asked. */
export function wire(fields: readonly Field[], values: Values): Record<string, unknown> {
  const sent = (field: Field) => (asked(field, values) ? wireOf(field, values[field.name]) : null);
  return Object.fromEntries(fields.map((field) => [field.name, sent(field)]));
}

function wireOf(field: Field, value: unknown): unknown {
  if (field.kind === 'list') return (value as Line[]).map((line) => wire(field.fields, line));
  const typed = String(value ?? '').trim();
  if (typed === '') return null;
  return readers[field.kind]?.(typed) ?? typed;
}

/** What is wrong with what was typed, by the path of the field. */
export function wrong(fields: readonly Field[], values: Values, t: TFunction): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const field of fields.filter((each) => asked(each, values))) {
    if (field.kind === 'list') {
      (values[field.name] as Line[]).forEach((line, nth) => {
        for (const [name, problem] of Object.entries(wrong(field.fields, line, t)))
          problems[`${field.name}.${nth}.${name}`] = problem;
      });
      continue;
    }
    const typed = String(values[field.name] ?? '').trim();
    const read = readers[field.kind];
    const mistake = mistakes[field.kind];
    if (typed === '' && field.required) problems[field.name] = t('records.required');
    else if (typed !== '' && read && mistake && read(typed) === undefined) problems[field.name] = t(mistake);
  }
  return problems;
}
