// The way from something that happened to the day of its house, at its minute.
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import Day from '~icon/Timeline';
import type { Place } from '../i18n/domain';
import classes from './DayLink.module.css';

/** Where a place's day is; of the whole farm it is that of its first house. */
export function dayPath(place: Place, at?: number): string {
  const search = new URLSearchParams();
  if (place.polyhouseId) search.set('polyhouse', place.polyhouseId);
  else if (place.zoneId) search.set('zone', place.zoneId);
  if (at !== undefined) search.set('at', `${at}`);
  return `/day?${search}`;
}

/** Where the day of a device or a rule is, as lanes. */
export function lanesPath(of: { device: string } | { rule: string }, at?: number): string {
  const search = new URLSearchParams(of);
  if (at !== undefined) search.set('at', `${at}`);
  return `/day?${search}`;
}

/** The way to the day of a device or a rule, at an instant or today. */
export function LanesLink({
  of,
  at,
  name,
}: {
  of: { device: string } | { rule: string };
  at?: number;
  name?: string;
}) {
  const { t } = useTranslation();
  return (
    <Link className={classes['link'] ?? ''} to={lanesPath(of, at)}>
      <Day size={20} aria-hidden />
      {name === undefined ? t('screen.lanes') : t('screen.lanesOf', { name })}
    </Link>
  );
}

export function DayLink({ place, at }: { place: Place; at: number }) {
  const { t } = useTranslation();
  return (
    <Link className={classes['link'] ?? ''} to={dayPath(place, at)}>
      <Day size={20} aria-hidden />
      {t('screen.openDay')}
    </Link>
  );
}
