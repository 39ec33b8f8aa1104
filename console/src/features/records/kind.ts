// What a kind of record is to the console: where it is asked for, what its rows show and what its form asks. The pages of the
// kinds are made from this.
import { queryOptions } from '@tanstack/react-query';
import type { ParseKeys, TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { answer, api, type Outcome } from '../../api/client';
import { keys } from '../../api/keys';
import type { components, paths } from '../../api/schema';
import type { Format } from '../../i18n/format';
import type { Headers } from '../../screen/FormDialog';
import type { Field } from './field';

export type Schemas = components['schemas'];

/** What every record has. */
export interface Kept {
  id: string;
  etag: string;
}

/** How values become text for who looks. */
export interface Say {
  t: TFunction;
  format: Format;
}

/** What a row shows, and a column of the file that is exported. */
export interface Column<T> {
  label: ParseKeys;
  text: (record: T, say: Say) => string | null;
  /** What stands in its place on the page. */
  show?: (record: T, say: Say) => ReactNode;
  /** What stands in the file where it is no text for people: a number, a day. */
  plain?: (record: T) => string | number | null;
  /** It names the record. */
  lead?: true;
  /** It stays on one line. */
  short?: true;
  /** It stands in the file alone. */
  fileOnly?: true;
  /** It is of money, which not everybody sees. */
  money?: true;
}

export interface Kind<T extends Kept> {
  /** The end of its address, such as `harvests`. */
  list: string;
  calls: Calls<T>;
  title: ParseKeys;
  add: ParseKeys;
  edit: ParseKeys;
  /** Said where nothing is written down yet, to who may. */
  hint: ParseKeys;
  /** Whether its records have a day, and so are asked for by a period. */
  dated: boolean;
  /** What people know one by. */
  name: (record: T, say: Say) => string;
  columns: readonly Column<T>[];
  fields: readonly Field[];
}

/** A kind for who sees no money. */
export function withoutMoney<T extends Kept>(kind: Kind<T>): Kind<T> {
  return { ...kind, columns: kind.columns.filter(({ money }) => !money) };
}

/** The days from which on records are wanted; none is all of them. */
export interface Period {
  from?: string;
}

export interface Calls<T> {
  list: (farmId: string, period: Period) => Promise<Outcome<T[]>>;
  create: (farmId: string, body: unknown, headers: Headers) => Promise<Outcome<unknown>>;
  replace: (farmId: string, id: string, body: unknown, headers: Headers) => Promise<Outcome<unknown>>;
  remove: (farmId: string, id: string, headers: Headers) => Promise<Outcome<unknown>>;
}

/** A client whose bodies are made from tables of fields, which no type follows. */
type Loose = Record<
  'GET' | 'POST' | 'PUT' | 'DELETE',
  (path: string, init: object) => Promise<Outcome<never>>
>;

/** The calls of a kind: the address of all its records, that of one, and what names it there. */
export function calls<T>(all: keyof paths, one: keyof paths, parameter: string): Calls<T> {
  const loose = api as unknown as Loose;
  const at = (farmId: string, id: string) => ({ path: { farmId, [parameter]: id } });
  return {
    list: (farmId, query) => loose.GET(all, { params: { path: { farmId }, query } }),
    create: (farmId, body, headers) => loose.POST(all, { params: { path: { farmId } }, headers, body }),
    replace: (farmId, id, body, headers) => loose.PUT(one, { params: at(farmId, id), headers, body }),
    remove: (farmId, id, headers) => loose.DELETE(one, { params: at(farmId, id), headers }),
  };
}

/** In case the live connection is down. */
const RELOAD_MS = 60_000;

export function recordsQuery<T extends Kept>(
  farmId: string,
  kind: Pick<Kind<T>, 'list' | 'calls'>,
  period: Period = {},
) {
  return queryOptions({
    queryKey: [...keys.records(farmId), kind.list, period.from ?? ''],
    queryFn: () => answer(kind.calls.list(farmId, period)),
    refetchInterval: RELOAD_MS,
  });
}
