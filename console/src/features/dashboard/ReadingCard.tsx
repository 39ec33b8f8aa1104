// One live reading of the farm: the numeral to be read from an arm's length, where it stands on its scale, and the worst
// reservoir, because a mean hides one bad tank.
import { useTranslation } from 'react-i18next';
import TooLow from '~icon/ArrowDown';
import TooHigh from '~icon/ArrowUp';
import HistoryIcon from '~icon/ChartLine';
import type { LatestValue } from '../../api/readings';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { RangeBar } from '../../ui/RangeBar';
import { StatePill } from '../../ui/StatePill';
import classes from './ReadingCard.module.css';
import { type Evidence, type ReadingKind, specs, verdict, verdicts } from './reading';

const DASH = '–';

interface Props {
  kind: ReadingKind;
  reading: LatestValue | undefined;
  evidence: Evidence;
}

export function ReadingCard({ kind, reading, evidence }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const spec = specs[kind];
  const value = reading?.value ?? null;
  const unit = kind === 'ph' ? '' : reading?.unit || spec.unit;
  const withUnit = (amount: number) =>
    unit ? `${format.steadyReading(amount)} ${unit}` : format.steadyReading(amount);
  const range = reading?.optimal;
  const judged = verdict(value, range, evidence);
  const word = judged && t(verdicts[judged].word);
  const rangeText = ({ low, high }: NonNullable<typeof range>) => {
    const bare = t('unit.range', { from: format.reading(low), to: format.reading(high) });
    return unit ? `${bare} ${unit}` : bare;
  };
  const name = t(spec.name);
  return (
    <section className={classes['card']} aria-labelledby={`reading-${kind}`} data-reading={kind}>
      <header className={classes['head']}>
        <div>
          <h3 id={`reading-${kind}`}>{name}</h3>
          <p>{t(spec.meaning)}</p>
        </div>
        <State judged={judged} />
      </header>
      <p className={classes['value']}>
        <span className={classes['numeral']} data-live-value data-testid={`${kind}-value`}>
          {value === null ? DASH : format.steadyReading(value)}
        </span>
        {unit && value !== null && <span className={classes['unit']}>{unit}</span>}
      </p>
      {range && (
        <RangeBar
          value={value}
          known={judged !== 'notKnown'}
          low={range.low}
          high={range.high}
          label={name}
          valueText={value === null ? t('reading.none') : `${withUnit(value)}, ${word}`}
          lowText={format.reading(range.low)}
          highText={format.reading(range.high)}
        />
      )}
      <dl className={classes['facts']}>
        <div>
          <dt>{t('reading.optimal')}</dt>
          <dd>{range ? rangeText(range) : value === null ? DASH : t('reading.differs')}</dd>
        </div>
        <div>
          <dt>{t('reading.current')}</dt>
          <dd>{value === null ? DASH : withUnit(value)}</dd>
        </div>
        {reading?.worst && (
          <Worst worst={reading.worst} text={withUnit(reading.worst.value)} evidence={evidence} />
        )}
      </dl>
      <Link
        className={classes['history'] ?? ''}
        to={`/history?type=${kind}`}
        aria-label={t('history.of', { name })}
      >
        <HistoryIcon size={20} aria-hidden />
        {t('history.title')}
      </Link>
      {value !== null && evidence.silent > 0 && (
        <p className={classes['silent']}>
          {t('reading.silent', {
            silent: format.count(evidence.silent),
            of: format.count(evidence.sensors),
          })}
        </p>
      )}
      <p className={classes['note']}>
        {value === null
          ? t('reading.noneHint')
          : [
              t('reading.mean'),
              reading?.at && t('reading.updated', { time: format.time(new Date(reading.at)) }),
            ]
              .filter(Boolean)
              .join(' · ')}
      </p>
    </section>
  );
}

const arrows: Partial<Record<NonNullable<ReturnType<typeof verdict>>, { icon: typeof TooHigh }>> = {
  above: { icon: TooHigh },
  below: { icon: TooLow },
};

function State({ judged }: { judged: ReturnType<typeof verdict> }) {
  const { t } = useTranslation();
  if (!judged) return null;
  const { word, tone } = verdicts[judged];
  return <StatePill live tone={tone} word={t(word)} {...arrows[judged]} />;
}

function Worst({
  worst,
  text,
  evidence,
}: {
  worst: NonNullable<LatestValue['worst']>;
  text: string;
  evidence: Evidence;
}) {
  const { t } = useTranslation();
  return (
    <div className={classes['worst']}>
      <dt>
        {t('reading.worst')}
        <State judged={verdict(worst.value, worst.optimal, evidence)} />
      </dt>
      <dd>
        {worst.name}: {text}
      </dd>
    </div>
  );
}
