// Times, spans and lengths as a letter says them.
import { useTranslation } from 'react-i18next';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import type { Schemas } from './queries';

const MINUTE = 60;

export function useWords() {
  const { t } = useTranslation();
  const domain = useDomain();
  const format = useFormat();
  /** "5 h 20 min"; seconds only below two minutes: 90 of a dosing pump are not 2 min. */
  const length = (seconds: number) =>
    domain.duration(seconds < 2 * MINUTE ? seconds : Math.round(seconds / MINUTE) * MINUTE);
  const clock = (at: number) => format.clock(new Date(at));
  return {
    t,
    domain,
    format,
    length,
    clock,
    /** The ends of an hour, for a text with `from` and `until`. */
    hours: ({ from, until }: Schemas['LetterSpan']) => ({
      from: format.hour(new Date(from)),
      until: format.hour(new Date(until)),
    }),
    span: ({ from, until }: Schemas['LetterSpan']) => ({ from: clock(from), until: clock(until) }),
    /** "11 to 34 °C". */
    range: (type: SensorTypeName, min: number, max: number) =>
      t(`domain.amount.${type}`, {
        value: t('letter.span', { from: format.reading(min), until: format.reading(max) }),
      }),
    celsius: (value: number) => domain.glance('temperature', value),
    kilopascal: (value: number) => t('unit.kilopascal', { value: format.reading(value) }),
    count: (count: number) => ({ count, number: format.count(count) }),
    amount: (value: number, unit: Schemas['Unit']) =>
      t('letter.amount', {
        value: format.quantity(value),
        unit: t(`unitName.${unit}`, { count: value }),
      }),
  };
}

export type Words = ReturnType<typeof useWords>;
