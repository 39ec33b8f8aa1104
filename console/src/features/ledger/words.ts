// The ledger in words: amounts, times, who decided, and what is odd about a measurement.
import { useTranslation } from 'react-i18next';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useCauseText } from '../../screen/useCauseText';
import type { Meter, Reading } from './queries';

export const LITRE_ML = 1_000;

export function useLedgerWords() {
  const { t } = useTranslation();
  const domain = useDomain();
  const format = useFormat();
  /** Litres from one on: water by the tenth, doses in ml. */
  const amount = (ml: number) =>
    ml >= LITRE_ML
      ? t('ledger.litres', { value: format.tenth(ml / LITRE_ML) })
      : t('ledger.ml', { value: format.tenth(ml) });
  /** Whole minutes where it is one or more. */
  const time = (seconds: number) => domain.duration(seconds < 60 ? seconds : Math.round(seconds / 60) * 60);
  const meterName = ({ name, type }: Meter) => name || domain.quantity(type as SensorTypeName);
  const who = useCauseText();
  const unknown = (seconds: number) => t('ledger.unknown', { duration: time(seconds) });
  /** "Measured 310 L, computed 420 L: …"; nothing where both agree, or cannot be compared. */
  const difference = ({ ml, computed_ml: computed, differs }: Reading) => {
    if (!differs || ml === null || computed === null) return undefined;
    const amounts = { measured: amount(ml), computed: amount(computed) };
    return ml < computed ? t('ledger.less', amounts) : t('ledger.more', amounts);
  };
  return { t, format, domain, amount, time, meterName, who, unknown, difference };
}

export type Words = ReturnType<typeof useLedgerWords>;
