// One quantity of a place over time: the mean of its sensors, what is between the lowest and highest, and where rules act.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Place, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { DecidedLink } from '../../screen/DayLink';
import { DerivedMark } from '../../screen/DerivedMark';
import { Link } from '../../screen/Link';
import type { LimitLine } from '../../screen/place';
import { quantityColour } from '../../screen/quantity';
import { Chart } from '../../ui/Chart';
import { coarser, timeTicks } from '../../ui/chart-scale';
import { Panel } from '../../ui/Panel';
import { EachSensor } from './EachSensor';
import classes from './History.module.css';
import { Incomplete } from './Incomplete';
import { type PlaceQuantity, type Sum, sumOf } from './series';
import { looks, type Span, windowAt } from './span';

/** Rows of the table that stands in for the drawing. */
const TABLE_ROWS = 36;

interface Props {
  /** The place's history as it is loaded: the time that was asked for, and one of the quantities. */
  past: { from: number; to: number; stepSec: number; incomplete: boolean; quantity: PlaceQuantity };
  limits: readonly LimitLine[];
  span: Span;
  /** Those of its sensors whose values follow from others. */
  derived: readonly Parameters<typeof DerivedMark>[0]['derived'][];
  /** Where it is measured, if that is not the place that is looked at. */
  elsewhere?: string | undefined;
  /** The device around which it is looked at, and its house or that of the place. */
  around: { device?: string; place: Place };
  /** Where a rule about it is made; none for who may not. */
  rulePath: string | undefined;
}

export function QuantityChart({ past, limits, span, derived, elsewhere, around, rulePath }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const look = looks[span];
  const { tick } = look;
  const { type, points, sensors, mean } = past.quantity;
  const step = past.stepSec * 1_000;
  // The time that was asked for, also while another one is still loading.
  const { from, to } = step === look.step ? past : windowAt(span, Date.now());
  const sum = useMemo(() => sumOf(points, step), [points, step]);
  // The mean of thousands has no decimals to speak of.
  const amount = (value: number) => words.amount(type, Math.abs(value) >= 1_000 ? Math.round(value) : value);
  const when = (at: number) =>
    look.length > 24 * 3_600_000 ? format.dateTime(new Date(at)) : format.clock(new Date(at));
  const thresholds = useMemo(
    () =>
      limits.map(({ value, meanings }) => ({
        value,
        // What it means stands in the legend: for one rule it may be where it starts, for another where it stops.
        label: words.amount(type, value),
        faint: meanings.every(({ starts }) => !starts),
      })),
    [limits, words, type],
  );
  const each = sensors.length > 1 && (
    <EachSensor sensors={sensors} unnamed={words.quantity(type)} amount={amount} />
  );

  return (
    <Panel
      title={words.quantity(type)}
      action={
        rulePath !== undefined && (
          <Link
            className={classes['rule'] ?? ''}
            to={rulePath}
            aria-label={t('history.makeRuleOf', { quantity: words.quantity(type) })}
          >
            {t('history.makeRule')}
          </Link>
        )
      }
      {...(elsewhere !== undefined && { hint: t('history.measuredAt', { place: elsewhere }) })}
    >
      {derived.length > 0 && (
        <p className={classes['derived']}>
          {derived.map((one) => (
            <DerivedMark key={one.id} derived={one} named={derived.length > 1} />
          ))}
        </p>
      )}
      {past.incomplete && <Incomplete />}
      {!sum && <p className={classes['quiet']}>{t('history.nothing')}</p>}
      {sum && (
        <Chart
          points={points}
          stepMs={step}
          from={from}
          to={to}
          thresholds={thresholds}
          timeTicks={timeTicks(from, to, tick, format.offset(new Date(to)))}
          ink={quantityColour(type)}
          valueText={amount}
          tickText={format.reading}
          timeTickText={(at) =>
            tick < 24 * 3_600_000 ? format.hour(new Date(at)) : format.day(new Date(at))
          }
          timeText={(at) => format.dateTime(new Date(at))}
          rows={coarser(points, from, to, step, TABLE_ROWS)}
          picked={(at) => <DecidedLink {...around} at={at} />}
          more={each}
          legend={
            limits.length > 0 && (
              <ul className={classes['limits']} aria-label={t('history.limits')}>
                {limits.map(({ value, meanings }) => (
                  <li key={value} data-faint={meanings.every(({ starts }) => !starts)}>
                    {meanings.map(({ operator, starts, rules }) => (
                      <p key={`${operator} ${starts}`}>
                        <b>
                          {words.operatorSign(operator)} {amount(value)}
                        </b>{' '}
                        {t(starts ? 'history.starts' : 'history.stops', { rules: format.list(rules) })}
                      </p>
                    ))}
                  </li>
                ))}
              </ul>
            )
          }
          labels={{
            summary: summary(sum),
            time: t('history.time'),
            mean: t('history.mean'),
            min: t('history.lowest'),
            max: t('history.highest'),
            table: t('history.table'),
            none: t('history.noReading'),
          }}
        />
      )}
      {!sum && each}
    </Panel>
  );

  function summary({ lowest, highest, gaps, longestGapMs }: Sum): string {
    const told = t('history.summary', {
      mean: amount(mean ?? Number.NaN),
      lowest: amount(lowest.value),
      lowestAt: when(lowest.at),
      highest: amount(highest.value),
      highestAt: when(highest.at),
    });
    if (gaps === 0) return told;
    const holes = {
      count: gaps,
      number: format.count(gaps),
      longest: words.duration(Math.round(longestGapMs / 1_000)),
    };
    return `${told} ${t('history.gaps', holes)}`;
  }
}
