// One polyhouse of the grid: its arch as it is now, how it stands and why, and what grows in its zones.
import { useTranslation } from 'react-i18next';
import Open from '~icon/ChevronRight';
import Day from '~icon/Timeline';
import { cropAndVariety } from '../../api/crops';
import { useFormat } from '../../i18n/format';
import { dayPath } from '../../screen/DayLink';
import { EditDelete } from '../../screen/EditDelete';
import { HouseMark, HouseReason, type HouseVerdict } from '../../screen/HouseVerdict';
import { factsOf, growing, type Means, type Told } from '../../screen/house';
import { CalmFigures, HouseNow, OffFigures } from '../../screen/house/HouseNow';
import { Running } from '../../screen/house/Running';
import { Link } from '../../screen/Link';
import type { Rule } from '../../screen/place';
import { useAsOf } from '../../ui/AsOf';
import { StatePill } from '../../ui/StatePill';
import classes from './places.module.css';
import type { Polyhouse } from './queries';

interface Props {
  farmId: string;
  polyhouse: Polyhouse;
  /** How it stands, as far as that is known. */
  verdict: HouseVerdict | undefined;
  told: Told;
  means: Means | undefined;
  rules: readonly Rule[] | undefined;
  writes: boolean;
  onEdit: (polyhouse: Polyhouse) => void;
  onDelete: (polyhouse: Polyhouse) => void;
}

/** What is measured where nothing is known yet. */
const NOTHING: Means = {};

export function PolyhouseCard({
  farmId,
  polyhouse,
  verdict,
  told,
  means = NOTHING,
  rules,
  writes,
  onEdit,
  onDelete,
}: Props) {
  const { t } = useTranslation();
  const asOf = useAsOf();
  const { id, name, zones } = polyhouse;
  const facts = factsOf(id, told);
  const now = { facts, means, verdict };
  return (
    <li className={classes['card']} data-polyhouse={id}>
      <div className={classes['title']}>
        <h2>
          <Link to={`?open=${encodeURIComponent(id)}`}>{name}</Link>
        </h2>
        {writes && (
          <EditDelete name={name} onEdit={() => onEdit(polyhouse)} onDelete={() => onDelete(polyhouse)} />
        )}
      </div>
      <div className={classes['state']}>
        <HouseMark verdict={verdict} />
        {!polyhouse.isActive && <ActivePill isActive={false} />}
        <PolyhouseFacts polyhouse={polyhouse} />
      </div>
      <div className={classes['reason']}>
        <HouseReason verdict={verdict} />
      </div>
      <HouseNow {...now} farmId={farmId} polyhouseId={id} name={name} />
      <div className={classes['rest']}>
        {asOf !== undefined && <p className={classes['soft']}>{asOf}</p>}
        <OffFigures {...now} />
        {facts.devices.length > 0 && <Running farmId={farmId} devices={facts.devices} rules={rules} />}
        <CalmFigures {...now} />
        {zones.length > 0 && (
          <ul className={classes['zones']} aria-label={t('places.zones')}>
            {zones.map((zone) => (
              <li key={zone.id}>
                <span>{zone.name}</span>
                {growing(told.cycles ?? [], new Set([zone.id])).map((cycle) => (
                  <small key={cycle.id}>{cropAndVariety(cycle)}</small>
                ))}
              </li>
            ))}
          </ul>
        )}
        <nav className={classes['links']} aria-label={name}>
          <Link to={dayPath({ type: 'polyhouse', polyhouseId: id })}>
            <Day size={20} aria-hidden />
            {t('nav.day')}
          </Link>
          <Link to={`?open=${encodeURIComponent(id)}`}>
            {t('places.details')}
            <Open size={20} aria-hidden />
          </Link>
        </nav>
      </div>
    </li>
  );
}

export function ActivePill({ isActive }: { isActive: boolean }) {
  const { t } = useTranslation();
  return (
    <StatePill
      tone={isActive ? 'active' : 'quiet'}
      word={t(isActive ? 'places.active' : 'places.inactive')}
    />
  );
}

/** Zone count and capacity. */
export function PolyhouseFacts({ polyhouse: { zonesCount, capacity } }: { polyhouse: Polyhouse }) {
  const { t } = useTranslation();
  const format = useFormat();
  // Free text, and most often a number of plants.
  const said = capacity && /^\d+(\.\d+)?$/.test(capacity) ? format.reading(Number(capacity)) : capacity;
  return (
    <p className={classes['size']}>
      <span>{t('places.zoneCount', { count: zonesCount, number: format.count(zonesCount) })}</span>
      <span>
        {t('places.capacity')} <strong>{said || t('places.notAvailable')}</strong>
      </span>
    </p>
  );
}

/** What belongs to no polyhouse. */
export function WholeFarmCard({ things, to }: { things: number; to: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <li className={classes['card']}>
      <div className={classes['title']}>
        <h2>
          <Link to={to}>{t('places.wholeFarm')}</Link>
        </h2>
      </div>
      <p className={classes['soft']}>{t('places.things', { count: things, number: format.count(things) })}</p>
    </li>
  );
}
