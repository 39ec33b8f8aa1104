// The lines of a sale as they are typed, and what they come to.
import type { Field, Line } from './field';
import { grades } from './grades';
import type { Schemas } from './kind';
import { amount, decimal, paise } from './money';
import { units } from './units';

export const lineFields: readonly Field[] = [
  { kind: 'line', name: 'what', label: 'sales.what', required: true, wide: true },
  { kind: 'decimal', name: 'quantity', label: 'stock.quantity', required: true },
  { kind: 'choice', name: 'unit', label: 'inventory.unit', options: units, required: true },
  { kind: 'rupees', name: 'pricePaise', label: 'sales.price', required: true },
  { kind: 'choice', name: 'grade', label: 'harvests.grade', options: grades },
  { kind: 'cycle', name: 'cycleId', label: 'records.cycle', wide: true },
];

/** One more line is of what the last one was counted in. */
export function beginLine(lines: readonly Line[]): Partial<Schemas['SaleLine']> {
  const last = lines.at(-1) as Partial<Schemas['SaleLine']> | undefined;
  return { unit: last?.unit || 'KG' };
}

/** What a line comes to in paise; undefined while it is not typed. */
export function lineAmount({ quantity, pricePaise }: Line): number | undefined {
  const [much, price] = [decimal(String(quantity)), paise(String(pricePaise))];
  return much === undefined || price === undefined ? undefined : amount(much, price);
}

/** What lines come to in paise, as far as they are typed. */
export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + (lineAmount(line) ?? 0), 0);
}
