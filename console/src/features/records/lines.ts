// The lines of a sale while they are typed, what they come to, and as they are sent.
import type { TFunction } from 'i18next';
import type { Schemas } from './kind';
import { decimal, paise, rupees } from './money';
import { newKey } from './stages';
import type { Unit } from './unit';

type Line = Schemas['SaleLine'];
type Grade = NonNullable<Line['grade']>;

export interface TypedLine {
  key: string;
  what: string;
  grade: Grade | '';
  cycleId: string;
  quantity: string;
  unit: Unit;
  price: string;
}

export const emptyLine = (): TypedLine => ({
  key: newKey(),
  what: '',
  grade: '',
  cycleId: '',
  quantity: '',
  unit: 'KG',
  price: '',
});

export function firstLines(record: object | undefined): TypedLine[] {
  const lines = (record as { lines?: Line[] } | undefined)?.lines;
  if (!lines) return [emptyLine()];
  return lines.map(({ what, grade, cycleId, quantity, unit, pricePaise }) => ({
    key: newKey(),
    what,
    grade: grade ?? '',
    cycleId: cycleId ?? '',
    quantity: String(quantity),
    unit,
    price: rupees(pricePaise),
  }));
}

export function wireLines(value: unknown): Line[] {
  return (value as TypedLine[]).map(({ what, grade, cycleId, quantity, unit, price }) => ({
    what: what.trim(),
    grade: grade || null,
    cycleId: cycleId || null,
    quantity: decimal(quantity) ?? 0,
    unit,
    pricePaise: paise(price) ?? 0,
  }));
}

export function wrongLines(value: unknown, t: TFunction): Record<string, string> {
  const wrong: Record<string, string> = {};
  (value as TypedLine[]).forEach(({ what, quantity, price }, i) => {
    if (what.trim() === '') wrong[`lines[${i}].what`] = t('records.required');
    if (decimal(quantity) === undefined) wrong[`lines[${i}].quantity`] = t('records.numberWrong');
    if (paise(price) === undefined) wrong[`lines[${i}].pricePaise`] = t('records.rupeesWrong');
  });
  return wrong;
}

/** What the lines come to in paise, as the server will say: each rounded to the paisa, halves up. */
export function totalOf(lines: readonly TypedLine[]): number {
  const amounts = lines.map(({ quantity, price }) => {
    const thousandths = Math.round((decimal(quantity) ?? 0) * 1_000);
    return Number((BigInt(thousandths) * BigInt(paise(price) ?? 0) + 500n) / 1_000n);
  });
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
