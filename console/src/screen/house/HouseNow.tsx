// What is measured in a house now, in the order in which it is looked for: its arch with the temperature in it and the humidity
// beside it, large; how both went in the last 24 hours; after that what is not as its crops want it or not known, framed; and
// quietly, in groups, what is as it should be.
import { VisuallyHidden } from '@mantine/core';
import type { ParseKeys } from 'i18next';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import Below from '~icon/ArrowNarrowDown';
import Above from '~icon/ArrowNarrowUp';
import { type SensorTypeName, sensorTypes, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { useAsOf } from '../../ui/AsOf';
import { HouseDrawing } from '../../ui/HouseDrawing';
import { type Device, runs } from '../device';
import type { HouseVerdict } from '../HouseVerdict';
import { type HouseFacts, type Means, sideOf, silentSince } from '../house';
import { HouseLine } from './HouseLine';
import classes from './HouseNow.module.css';

interface Props {
  facts: HouseFacts;
  means: Means;
  /** How the house stands, which also knows since when a sensor is silent. */
  verdict: HouseVerdict | undefined;
}

/** The quantities that decide. */
const LEADING = ['temperature', 'humidity'] as const satisfies readonly SensorTypeName[];
/** What follows from others, where no sensor has it as its own value. */
type Quantity = SensorTypeName | 'vpd';

/** What the roots have; everything else is of the air. */
const OF_ROOTS: readonly Quantity[] = [
  'soil_moisture',
  'soil_temperature',
  'ph',
  'ec',
  'reservoir_level',
  'water_temperature',
  'flow',
  'volume',
  'line_pressure',
];

/** The house as its arch, what decides in large figures, and how that went; a link to its day. */
export function HouseNow({
  farmId,
  polyhouseId,
  name,
  ...now
}: Props & { farmId: string; polyhouseId: string; name: string }) {
  const words = useDomain();
  const { measured } = now.facts;
  const lines = LEADING.filter((type) => measured.has(type));
  return (
    <div className={classes['frame']}>
      <div className={classes['now']}>
        <HousePicture {...now} />
        {measured.has('humidity') && (
          <dl className={classes['beside']}>
            <dt>{words.quantity('humidity')}</dt>
            <dd>
              <Mean type="humidity" large {...now} />
              <Wanted type="humidity" {...now} />
            </dd>
          </dl>
        )}
        {lines.length > 0 && (
          <HouseLine farmId={farmId} polyhouseId={polyhouseId} name={name} types={lines} />
        )}
      </div>
    </div>
  );
}

function HousePicture({ facts: { measured, devices }, means, verdict }: Props) {
  const asOf = useAsOf();
  const value = (type: SensorTypeName) => means[type]?.value;
  const of = (type: Device['type']) => devices.filter((device) => device.type === type).map(runs);
  const isMeasured = measured.has('temperature');
  return (
    <div className={classes['drawing']}>
      <HouseDrawing
        temperature={isMeasured ? (value('temperature') ?? 'unknown') : undefined}
        soil={value('soil_moisture')}
        tank={value('reservoir_level')}
        fans={of('fan')}
        vents={of('vent')}
        old={asOf !== undefined}
      />
      {isMeasured && (
        <>
          <p className={classes['over']}>
            <Mean type="temperature" large means={means} />
          </p>
          <Wanted type="temperature" means={means} verdict={verdict} />
        </>
      )}
    </div>
  );
}

/** Everything that is measured in the house but what decides, and what follows from it. */
function beside({ facts: { measured }, means }: Props): Quantity[] {
  const types: Quantity[] = sensorTypes.filter(
    (type) => measured.has(type) && !LEADING.some((leading) => leading === type),
  );
  const follows = means['vpd'] && !measured.has('vapour_pressure_deficit');
  return follows ? [...types, 'vpd'] : types;
}

/** Whether a quantity is as it should be, as far as that is known. */
function isCalm(means: Means, type: Quantity): boolean {
  const mean = means[type];
  return mean !== undefined && sideOf(mean.value, mean.wanted) === undefined;
}

/** What else is not as the crops want it, or not known. */
export function OffFigures(now: Props) {
  const types = beside(now).filter((type) => !isCalm(now.means, type));
  if (types.length === 0) return null;
  return (
    <dl className={classes['off']}>
      {types.map((type) => (
        <div key={type} data-known={now.means[type] !== undefined}>
          <dt>
            <Name type={type} />
          </dt>
          <dd>
            <Mean type={type} said {...now} />
            <Wanted type={type} {...now} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What else is as it should be, quietly and in groups. */
export function CalmFigures(now: Props) {
  const { t } = useTranslation();
  const calm = beside(now).filter((type) => isCalm(now.means, type));
  const groups: [ParseKeys, Quantity[]][] = [
    ['house.roots', calm.filter((type) => OF_ROOTS.includes(type))],
    ['house.air', calm.filter((type) => !OF_ROOTS.includes(type))],
  ];
  if (calm.length === 0) return null;
  return (
    <div className={classes['groups']}>
      {groups
        .filter(([, types]) => types.length > 0)
        .map(([title, types]) => (
          <div key={title}>
            <p>{t(title)}</p>
            <dl className={classes['calm']}>
              {types.map((type) => (
                <Fragment key={type}>
                  <dt>
                    <Name type={type} />
                  </dt>
                  <dd>
                    <Mean type={type} {...now} />
                    <Wanted type={type} {...now} />
                  </dd>
                </Fragment>
              ))}
            </dl>
          </div>
        ))}
    </div>
  );
}

function Name({ type }: { type: Quantity }) {
  const { t } = useTranslation();
  const words = useDomain();
  if (type !== 'vpd' && type !== 'vapour_pressure_deficit') return words.quantity(type);
  return <abbr title={t('house.vpdMeaning')}>{t('house.vpd')}</abbr>;
}

interface MeanProps {
  type: Quantity;
  means: Means;
  /** To be read from afar: its unit is smaller than its number. */
  large?: boolean;
  /** The side that it is on stands beside it in words, too. */
  said?: boolean;
}

/** A mean, marked where it is not what the crops want. */
function Mean({ type, means, large, said }: MeanProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useDomain();
  const mean = means[type];
  if (!mean) return <span className={classes['unknown']}>{t('verdict.word.not_known')}</span>;
  const text =
    type === 'vpd'
      ? t('unit.kilopascal', { value: format.reading(mean.value) })
      : words.glance(type, mean.value);
  const [, number, unit] = /^([^\p{Nd}]*[\p{Nd}.,]+)(.*)$/u.exec(text) ?? [];
  const side = sideOf(mean.value, mean.wanted);
  const Arrow = side === 'above' ? Above : Below;
  const word = side && t(`verdict.${side}`);
  return (
    <span className={large ? classes['large'] : undefined} data-side={side}>
      <strong>
        {large && number ? (
          <>
            {number}
            <small>{unit}</small>
          </>
        ) : (
          text
        )}
      </strong>
      {side && (
        <>
          <Arrow size={large ? 26 : 20} stroke={2.4} aria-hidden />
          {said ? <em>{word}</em> : <VisuallyHidden>{word}</VisuallyHidden>}
        </>
      )}
    </span>
  );
}

/** What the crops of the house want of a quantity; of one that is not known, since when. */
function Wanted({ type, means, verdict }: Omit<Props, 'facts'> & { type: Quantity }) {
  const { t } = useTranslation();
  const words = useDomain();
  const verdictWords = useVerdictWords();
  const format = useFormat();
  const since = means[type] ? undefined : silentSince(verdict, type);
  if (since !== undefined)
    return (
      <small className={classes['wanted']}>{t('house.since', { time: verdictWords.instant(since) })}</small>
    );
  const wanted = means[type]?.wanted;
  if (!wanted) return null;
  const { low, high } = wanted;
  const most =
    type === 'vpd' ? t('unit.kilopascal', { value: format.reading(high) }) : words.amount(type, high);
  return (
    <small className={classes['wanted']}>
      {t('verdict.target', { low: format.reading(low), high: most })}
    </small>
  );
}
