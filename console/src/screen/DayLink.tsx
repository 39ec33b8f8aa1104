// The way from something that happened to the day of its house, at its minute.
import { useTranslation } from 'react-i18next';
import Decided from '~icon/GitMerge';
import Day from '~icon/Timeline';
import type { Place } from '../i18n/domain';
import classes from './DayLink.module.css';
import { Link } from './Link';

/** Where a place's day is; of the whole farm it is that of its first house. */
export function dayPath(place: Place, at?: number): string {
  const search = new URLSearchParams();
  if (place.polyhouseId) search.set('polyhouse', place.polyhouseId);
  else if (place.zoneId) search.set('zone', place.zoneId);
  if (at !== undefined) search.set('at', `${at}`);
  return `/day?${search}`;
}

/** Whose day is shown as lanes. */
type LanesOf = { device: string } | { rule: string } | { house: string };

/** Where the day of a device, a rule or a house is, as lanes. */
export function lanesPath(of: LanesOf, at?: number): string {
  const search = new URLSearchParams(of);
  if (at !== undefined) search.set('at', `${at}`);
  return `/day?${search}`;
}

/** The way to the day of a device, a rule or a house, at an instant or today. */
export function LanesLink({ of, at, name }: { of: LanesOf; at?: number; name?: string }) {
  const { t } = useTranslation();
  return (
    <Link className={classes['link'] ?? ''} to={lanesPath(of, at)}>
      <Day size={20} aria-hidden />
      {name === undefined ? t('screen.lanes') : t('screen.lanesOf', { name })}
    </Link>
  );
}

/** The way to what decided about a device or in a place's house at an instant; of what lies in no house there is none. */
export function DecidedLink({ device, place, at }: { device?: string; place: Place; at: number }) {
  const { t } = useTranslation();
  const { polyhouseId } = place;
  if (device === undefined && !polyhouseId) return null;
  const of = device === undefined ? { house: polyhouseId ?? '' } : { device };
  return (
    <Link className={classes['link'] ?? ''} to={lanesPath(of, at)}>
      <Decided size={20} aria-hidden />
      {t('screen.decided')}
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
