// One polyhouse of the grid.
import { useTranslation } from 'react-i18next';
import House from '~icon/BuildingTunnel';
import Open from '~icon/ChevronRight';
import Day from '~icon/Timeline';
import { useFormat } from '../../i18n/format';
import { dayPath } from '../../screen/DayLink';
import { EditDelete } from '../../screen/EditDelete';
import { HouseMark, HouseReason, type HouseVerdict } from '../../screen/HouseVerdict';
import { Link } from '../../screen/Link';
import { StatePill } from '../../ui/StatePill';
import classes from './places.module.css';
import type { Polyhouse } from './queries';

interface Props {
  polyhouse: Polyhouse;
  /** How it stands, as far as that is known. */
  verdict: HouseVerdict | undefined;
  writes: boolean;
  onEdit: (polyhouse: Polyhouse) => void;
  onDelete: (polyhouse: Polyhouse) => void;
}

export function PolyhouseCard({ polyhouse, verdict, writes, onEdit, onDelete }: Props) {
  const { t } = useTranslation();
  const { id, name, zones } = polyhouse;
  return (
    <li className={classes['card']} data-polyhouse={id}>
      <div className={classes['title']}>
        <House size={26} aria-hidden />
        <h2>
          <Link to={`?open=${encodeURIComponent(id)}`}>{name}</Link>
        </h2>
        {writes && (
          <EditDelete name={name} onEdit={() => onEdit(polyhouse)} onDelete={() => onDelete(polyhouse)} />
        )}
      </div>
      <p>
        <HouseMark verdict={verdict} />
        {!polyhouse.isActive && <ActivePill isActive={false} />}
      </p>
      <HouseReason verdict={verdict} />
      <PolyhouseFacts polyhouse={polyhouse} />
      {zones.length > 0 && (
        <p className={classes['zones']} title={t('places.zones')}>
          {zones.map((zone) => (
            <span key={zone.id}>{zone.name}</span>
          ))}
        </p>
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
