// The fields of a record's form, as a table: what each holds while it is typed, what it sends, and what is wrong with it.

import type { UseFormReturnType } from '@mantine/form';
import type { ParseKeys, TFunction } from 'i18next';
import type { ComponentType } from 'react';
import { decimal, paise, rupees, whole } from './money';

export type Values = Record<string, unknown>;
export type RecordForm = UseFormReturnType<Values>;

/** What a field of its own kind is given. */
export interface OwnFieldProps {
  form: RecordForm;
  farmId: string;
  name: string;
  label: string;
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
}

/** A field whose value is typed. */
interface Typed extends Common {
  kind: 'line' | 'lines' | 'count' | 'decimal' | 'rupees';
}

export type Field =
  | Typed
  /** A calendar day; `today` where it is mostly that. */
  | (Common & { kind: 'day'; today?: true })
  | (Common & { kind: 'choice'; options: Readonly<Record<string, ParseKeys>> })
  /** A zone, crop cycle or item of the farm, by its id. */
  | (Common & { kind: 'zone' | 'cycle' | 'item' })
  /** A field that is a component, with what it holds at first and what it sends. */
  | (Common & {
      kind: 'own';
      component: ComponentType<OwnFieldProps>;
      first: (record: object | undefined) => unknown;
      wire: (value: unknown) => unknown;
      wrong?: (value: unknown, t: TFunction) => Record<string, string>;
    });

const readers: Partial<Record<Field['kind'], (typed: string) => number | undefined>> = {
  count: whole,
  decimal,
  rupees: paise,
};
const mistakes: Partial<Record<Field['kind'], ParseKeys>> = {
  count: 'records.wholeWrong',
  decimal: 'records.numberWrong',
  rupees: 'records.rupeesWrong',
};

/** Whether a field is asked for. */
export function asked({ when }: Field, values: Values): boolean {
  return when?.(values) ?? true;
}

/** What a field holds at first; `today` of a new record alone. */
export function first(field: Field, record: object | undefined, today?: string): unknown {
  if (field.kind === 'own') return field.first(record);
  const value: unknown = record && (record as Record<string, unknown>)[field.name];
  if (value == null) return (field.kind === 'day' && field.today && today) || '';
  return field.kind === 'rupees' && typeof value === 'number' ? rupees(value) : String(value);
}

/** What a field sends: null where nothing was typed. */
export function wire(field: Field, value: unknown): unknown {
  if (field.kind === 'own') return field.wire(value);
  const typed = String(value ?? '').trim();
  if (typed === '') return null;
  return readers[field.kind]?.(typed) ?? typed;
}

/** What is wrong with what was typed, by field. */
export function wrong(fields: readonly Field[], values: Values, t: TFunction): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const field of fields.filter((each) => asked(each, values))) {
    if (field.kind === 'own') {
      Object.assign(problems, field.wrong?.(values[field.name], t));
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
