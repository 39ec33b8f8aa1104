// The lines of a sale as they are typed, and what they come to.
import type { TFunction } from 'i18next';
import { type Field, first, type Values, wire, wrong } from './field';
import { grades } from './harvests';
import type { Schemas } from './kind';
import { amount, decimal, paise } from './money';
import { units } from './units';

type SaleLine = Schemas['SaleLine'];

/** A line whose fields hold what is typed; the key stays with it as others come and go. */
export type TypedLine = Values & { key: number };

/** The most lines of a sale. */
export const MAX_LINES = 50;

export const lineFields: readonly Field[] = [
  { kind: 'line', name: 'what', label: 'sales.what', required: true },
  { kind: 'decimal', name: 'quantity', label: 'stock.quantity', required: true },
  { kind: 'choice', name: 'unit', label: 'inventory.unit', options: units, required: true },
  { kind: 'rupees', name: 'pricePaise', label: 'sales.price', required: true },
  { kind: 'choice', name: 'grade', label: 'harvests.grade', options: grades },
  { kind: 'cycle', name: 'cycleId', label: 'records.cycle' },
];

export const paidField = { kind: 'rupees', name: 'paidPaise', label: 'sales.paid' } as const;

/** A line as it is typed; one more is of what the last one was counted in. */
function typed(line: Partial<SaleLine>, key: number): TypedLine {
  return { ...Object.fromEntries(lineFields.map((field) => [field.name, first(field, line)])), key };
}

/** One more line, in the unit of the last. */
export function another(lines: readonly TypedLine[]): TypedLine {
  const last = lines.at(-1) as { unit?: SaleLine['unit'] } | undefined;
  return typed({ unit: last?.unit || 'KG' }, 1 + Math.max(-1, ...lines.map(({ key }) => key)));
}

export function firstLines(sale: object | undefined): TypedLine[] {
  const { lines } = (sale ?? {}) as { lines?: SaleLine[] };
  return lines ? lines.map(typed) : [another([])];
}

export function wireLines(lines: unknown): object[] {
  return (lines as TypedLine[]).map((line) =>
    Object.fromEntries(lineFields.map((field) => [field.name, wire(field, line[field.name])])),
  );
}

export function wrongLines(lines: unknown, t: TFunction): Record<string, string> {
  const problems = (lines as TypedLine[]).flatMap((line, nth) =>
    Object.entries(wrong(lineFields, line, t)).map(([name, text]) => [`lines.${nth}.${name}`, text]),
  );
  return Object.fromEntries(problems);
}

/** What a line comes to in paise; undefined while it is not typed. */
export function lineAmount({ quantity, pricePaise }: TypedLine): number | undefined {
  const [much, price] = [decimal(String(quantity)), paise(String(pricePaise))];
  return much === undefined || price === undefined ? undefined : amount(much, price);
}

/** What lines come to in paise, as far as they are typed. */
export function total(lines: readonly TypedLine[]): number {
  return lines.reduce((sum, line) => sum + (lineAmount(line) ?? 0), 0);
}
