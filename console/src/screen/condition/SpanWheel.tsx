// A length of time as it is turned or typed: a number, its unit, and the usual ones for a tap.
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { Chips } from '../../ui/Chips';
import { NumberWheel } from '../../ui/NumberWheel';
import { durationUnits, type Span, secondsIn, spanOf, type TimeUnit, unitNames } from './span';

interface Props {
  label: string;
  span: Span;
  onSpan: (span: Span) => void;
  /** One of the usual was taken. */
  onUsual: (span: Span) => void;
  /** In seconds. */
  usual: readonly number[];
  min: number;
  units?: readonly TimeUnit[];
  /** What no time at all is called. */
  none?: string;
  problem: string | undefined;
  problemId: string;
}

/** Of whatever unit. */
const MOST = 999;

export function SpanWheel(props: Props) {
  const { label, span, onSpan, onUsual, usual, min, units = durationUnits, none, problem, problemId } = props;
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  return (
    <>
      <Chips
        label={t('condition.usual')}
        values={usual}
        told={(seconds) => (seconds === 0 && none ? none : words.duration(seconds))}
        chosen={secondsIn(span)}
        onChoose={(seconds) => onUsual(spanOf(seconds))}
      />
      <NumberWheel
        label={label}
        text={span.amount}
        onText={(amount) => onSpan({ ...span, amount })}
        min={min}
        max={MOST}
        step={1}
        start={Math.max(min, 1)}
        told={format.count}
        valueText={(amount) => words.duration(secondsIn({ ...span, amount: String(amount) }))}
        lessLabel={t('condition.less')}
        moreLabel={t('condition.more')}
        problem={problem}
        problemId={problemId}
      />
      {units.length > 1 && (
        <Chips
          label={t('condition.unitOf', { label })}
          values={units}
          told={(unit) => t(unitNames[unit])}
          chosen={span.unit}
          onChoose={(unit) => onSpan({ ...span, unit })}
        />
      )}
    </>
  );
}
