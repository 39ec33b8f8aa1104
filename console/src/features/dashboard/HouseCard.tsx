// One house: how it stands and why, what is measured in it against what its crops want, what runs and who has it, and how its
// temperature went in the last 24 hours.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { FarmVerdict } from '../../api/verdict';
import { sensorTypes } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { Figures, HousePicture, Sided } from '../../screen/HouseNow';
import { HouseMark, HouseReason } from '../../screen/HouseVerdict';
import { factsOf, type HouseFacts, type Means, type Told } from '../../screen/house';
import { Link } from '../../screen/Link';
import type { Rule } from '../../screen/place';
import { useAsOf } from '../../ui/AsOf';
import { verdictLooks } from '../../ui/verdict';
import { HouseLine } from './HouseLine';
import classes from './houses.module.css';
import { Running } from './Running';

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
  const asOf = useAsOf();
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
        <HousePicture facts={facts} means={means} />
        {facts.measured.has('temperature') && (
          <HouseLine farmId={farmId} polyhouseId={polyhouseId} name={name} />
        )}
      </div>
      <Measured means={means} facts={facts} />
      {asOf !== undefined && <p className={classes['soft']}>{asOf}</p>}
      {facts.devices.length > 0 && <Running farmId={farmId} devices={facts.devices} rules={rules} />}
    </li>
  );
});

const BESIDE = sensorTypes.filter((type) => type !== 'temperature');

/** Everything that is measured but the temperature, and what follows from it. */
function Measured({ means, facts }: { means: Means; facts: HouseFacts }) {
  const { t } = useTranslation();
  const format = useFormat();
  // Where a sensor has it as its own value, it stands among what is measured.
  const deficit = facts.measured.has('vapour_pressure_deficit') ? undefined : means['vpd'];
  return (
    <Figures facts={facts} means={means} of={BESIDE}>
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
    </Figures>
  );
}
