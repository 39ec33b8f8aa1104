// One derived sensor: its value and how old that is, what it is made of, and the way to each of its inputs.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import Chart from '~icon/ChartLine';
import NoReading from '~icon/CircleDashed';
import Silent from '~icon/ClockExclamation';
import type { SensorReading } from '../../api/readings';
import { type PlaceNames, type SensorTypeName, useDomain } from '../../i18n/domain';
import { useWhen } from '../../i18n/when';
import { EditDelete } from '../../screen/EditDelete';
import { Link } from '../../screen/Link';
import { chartOf } from '../../screen/place';
import { StatePill } from '../../ui/StatePill';
import classes from './Derived.module.css';
import type { DerivedSensor } from './derived';
import type { InputWords } from './useSentence';

interface Props {
  derived: DerivedSensor;
  /** What its sensor says, live. */
  reading: SensorReading | undefined;
  inputs: readonly InputWords[];
  sentence: string;
  polyhouses: PlaceNames;
  /** Somebody came for this one. */
  isSought: boolean;
  writes: boolean;
  onEdit: () => void;
  onDelete: () => void;
}

export function DerivedCard({ derived, reading, inputs, sentence, isSought, ...props }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const when = useWhen();
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSought) card.current?.scrollIntoView({ block: 'nearest' });
  }, [isSought]);
  const value = reading ? reading.latestValue : derived.value;
  const at = reading ? reading.at : derived.at;
  return (
    <li ref={card} className={classes['card']} data-derived={derived.id} data-sought={isSought || undefined}>
      <div className={classes['title']}>
        <h2>{derived.name}</h2>
        {props.writes && <EditDelete name={derived.name} onEdit={props.onEdit} onDelete={props.onDelete} />}
      </div>
      <p className={classes['soft']}>
        {words.quantity(derived.type)} · {words.placePath(derived.scope, props.polyhouses)}
      </p>
      <p className={classes['now']}>
        {value !== null && <strong>{words.amount(derived.type, value)}</strong>}
        {value === null && (
          <StatePill
            tone={at === null ? 'quiet' : 'warn'}
            icon={at === null ? NoReading : Silent}
            word={t(at === null ? 'derived.waiting' : 'derived.unknown')}
          />
        )}
        {at !== null && <span className={classes['soft']}>{when(at)}</span>}
      </p>
      <p className={classes['sentence']}>{sentence}</p>
      <nav className={classes['inputs']} aria-label={t('derived.uses', { name: derived.name })}>
        {inputs.map((input) => (
          <Link key={input.name} to={input.chart}>
            {input.words}
            {input.sensor?.latestValue != null && (
              <b>{words.amount(input.sensor.type as SensorTypeName, input.sensor.latestValue)}</b>
            )}
          </Link>
        ))}
        <Link to={chartOf(derived.type, derived.scope)}>
          <Chart size={20} aria-hidden />
          {t('derived.chart')}
        </Link>
      </nav>
    </li>
  );
}
