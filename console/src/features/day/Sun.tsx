// Sunrise and sunset of the day that is read, or the way to say where the farm is.
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/permissions';
import type { components } from '../../api/schema';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import classes from './Day.module.css';

interface Props {
  farmId: string;
  sun: components['schemas']['Sun'];
  /** The instant that is read. */
  at: number;
}

export function Sun({ farmId, sun, at }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const may = useMay();
  if (!sun.known)
    return (
      <p className={classes['note']}>
        {t('day.noPlace')}{' '}
        {may('places:write') && (
          <Link
            className={classes['inline'] ?? ''}
            to={`/polyhouses?edit-position=${encodeURIComponent(farmId)}`}
          >
            {t('day.setPlace')}
          </Link>
        )}
      </p>
    );
  const day = sun.days.find((each) => each.day === format.isoDay(new Date(at)));
  if (!day) return null;
  const { sunrise, sunset, allDay } = day;
  const clock = (instant: number) => format.clock(new Date(instant));
  const text =
    allDay === 'polar_day'
      ? t('day.polarDay')
      : allDay === 'polar_night'
        ? t('day.polarNight')
        : sunrise !== null && sunset !== null
          ? t('day.sun', { rise: clock(sunrise), set: clock(sunset) })
          : sunrise !== null
            ? t('day.sunrise', { time: clock(sunrise) })
            : sunset !== null && t('day.sunset', { time: clock(sunset) });
  return text ? <p className={classes['note']}>{text}</p> : null;
}
