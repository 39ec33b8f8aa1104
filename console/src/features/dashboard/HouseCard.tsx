// One house: how it stands and why, what is measured in it against what its crops want, what runs and who has it, and how its
// temperature went in the last 24 hours.
import { VisuallyHidden } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import Below from '~icon/ArrowNarrowDown';
import Above from '~icon/ArrowNarrowUp';
import type { LatestTelemetry } from '../../api/readings';
import type { FarmVerdict } from '../../api/verdict';
import { type SensorTypeName, sensorTypes, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import type { Device } from '../../screen/device';
import { HouseMark, HouseReason } from '../../screen/HouseVerdict';
import { Link } from '../../screen/Link';
import type { Rule } from '../../screen/place';
import { useAsOf } from '../../ui/AsOf';
import { HouseDrawing } from '../../ui/HouseDrawing';
import { verdictLooks } from '../../ui/verdict';
import { HouseLine } from './HouseLine';
import { factsOf, type HouseFacts, runs, sideOf, type Told } from './houses';
import classes from './houses.module.css';
import { Running } from './Running';

type Means = LatestTelemetry['houses'][string];

interface Props {
  farmId: string;
  house: FarmVerdict['houses'][number];
  /** Whether its verdict is of now. */
  isKnown: boolean;
  told: Told;
  means: Means | undefined;
  rules: readonly Rule[] | undefined;
}

/** What is measured where nothing is known yet. */
const NOTHING: Means = {};

/** Drawn anew for what is new in its house alone: messages come every second, and a farm has many houses. */
export const HouseCard = memo(function HouseCard({
  farmId,
  house,
  isKnown,
  told,
  means = NOTHING,
  rules,
}: Props) {
  const { polyhouseId, name } = house;
  const facts = factsOf(polyhouseId, told);
  const verdict = isKnown ? house : 'lost';
  const of = (type: Device['type']) => facts.devices.filter((device) => device.type === type).map(runs);
  const asOf = useAsOf();
  const value = (type: SensorTypeName) => means[type]?.value;
  const isMeasured = facts.measured.has('temperature');
  return (
    <li
      className={classes['card']}
      data-house={polyhouseId}
      data-tone={verdictLooks[isKnown ? house.verdict : 'not_known'].tone}
    >
      <div className={classes['head']}>
        <h3>
          <Link className={classes['name']} to={`/polyhouses?open=${encodeURIComponent(polyhouseId)}`}>
            {name}
          </Link>
          {/* Its line is kept free for what most houses have. */}
          {facts.crops?.length !== 0 && <small>{facts.crops?.join(', ') ?? '\u00a0'}</small>}
        </h3>
        <HouseMark verdict={verdict} />
      </div>
      <HouseReason verdict={verdict} />
      <div className={classes['body']}>
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
                <Mean type="temperature" means={means} />
              </p>
              <Wanted type="temperature" means={means} />
            </>
          )}
        </div>
        {isMeasured && <HouseLine farmId={farmId} polyhouseId={polyhouseId} name={name} />}
      </div>
      <Figures means={means} facts={facts} />
      {asOf !== undefined && <p className={classes['soft']}>{asOf}</p>}
      {facts.devices.length > 0 && <Running farmId={farmId} devices={facts.devices} rules={rules} />}
    </li>
  );
});

/** Everything that is measured but the temperature, and what follows from it. */
function Figures({ means, facts }: { means: Means; facts: HouseFacts }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const shown = sensorTypes.filter((type) => type !== 'temperature' && facts.measured.has(type));
  // Where a sensor has it as its own value, it stands among what is measured.
  const deficit = facts.measured.has('vapour_pressure_deficit') ? undefined : means['vpd'];
  if (shown.length === 0) return null;
  return (
    <dl className={classes['figures']}>
      {shown.map((type) => (
        <div key={type}>
          <dt>{words.quantity(type)}</dt>
          <dd>
            <Mean type={type} means={means} />
            <Wanted type={type} means={means} />
          </dd>
        </div>
      ))}
      {deficit && (
        <div>
          <dt>
            <abbr title={t('house.vpdMeaning')}>{t('house.vpd')}</abbr>
          </dt>
          <dd>
            <Sided mean={deficit} text={t('unit.kilopascal', { value: format.reading(deficit.value) })} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** A mean, marked where it is not what the crops want. */
function Mean({ type, means }: { type: SensorTypeName; means: Means }) {
  const { t } = useTranslation();
  const words = useDomain();
  const mean = means[type];
  if (!mean) return <span className={classes['unknown']}>{t('verdict.word.not_known')}</span>;
  return <Sided mean={mean} text={words.glance(type, mean.value)} />;
}

function Sided({ mean, text }: { mean: Means[string]; text: string }) {
  const { t } = useTranslation();
  const side = sideOf(mean.value, mean.wanted);
  const Arrow = side === 'above' ? Above : Below;
  return (
    <span data-side={side}>
      <strong>{text}</strong>
      {side && (
        <>
          <Arrow size={20} stroke={2.4} aria-hidden />
          <VisuallyHidden>{t(`reading.${side}`)}</VisuallyHidden>
        </>
      )}
    </span>
  );
}

/** What the crops of the house want of a quantity. */
function Wanted({ type, means }: { type: SensorTypeName; means: Means }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const wanted = means[type]?.wanted;
  if (!wanted) return null;
  const { low, high } = wanted;
  return (
    <small className={classes['wanted']}>
      {t('house.target', { low: format.reading(low), high: words.amount(type, high) })}
    </small>
  );
}
