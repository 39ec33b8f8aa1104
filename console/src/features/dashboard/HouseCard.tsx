// One house, in the order in which it is read: how it stands and why, what decides in it, what is not as it should be, what runs
// and who has it, and the rest of what is measured.
import { memo } from 'react';
import type { FarmVerdict } from '../../api/verdict';
import { HouseMark, HouseReason, type HouseVerdict } from '../../screen/HouseVerdict';
import { factsOf, type Means, type Told } from '../../screen/house';
import { CalmFigures, HouseNow, OffFigures } from '../../screen/house/HouseNow';
import { Running } from '../../screen/house/Running';
import { Link } from '../../screen/Link';
import type { Rule } from '../../screen/place';
import { useAsOf } from '../../ui/AsOf';
import { verdictLooks } from '../../ui/verdict';
import classes from './houses.module.css';

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
  const verdict: HouseVerdict = isKnown ? house : 'lost';
  const asOf = useAsOf();
  const now = { facts, means, verdict };
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
        </h3>
        <HouseMark verdict={verdict} />
        {/* Its line is kept free for what most houses have. */}
        {facts.crops?.length !== 0 && <p>{facts.crops?.join(', ') ?? '\u00a0'}</p>}
      </div>
      <div className={classes['reason']}>
        <HouseReason verdict={verdict} />
      </div>
      <HouseNow {...now} farmId={farmId} polyhouseId={polyhouseId} name={name} />
      <div className={classes['rest']}>
        {asOf !== undefined && <p className={classes['soft']}>{asOf}</p>}
        <OffFigures {...now} />
        {facts.devices.length > 0 && <Running farmId={farmId} devices={facts.devices} rules={rules} />}
        <CalmFigures {...now} />
      </div>
    </li>
  );
});
