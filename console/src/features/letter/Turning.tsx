// What is told, with the way to what came before it and comes after it.
import { useTranslation } from 'react-i18next';
import Back from '~icon/ChevronLeft';
import Forward from '~icon/ChevronRight';
import { Link } from '../../screen/Link';
import classes from './Letter.module.css';

interface Props {
  title: string;
  earlier: string;
  /** Nothing where that has not begun. */
  later: string | undefined;
  of: 'day' | 'week';
}

export function Turning({ title, earlier, later, of }: Props) {
  const { t } = useTranslation();
  const [before, after] =
    of === 'day'
      ? [t('letter.earlier'), t('letter.later')]
      : [t('letter.earlierWeek'), t('letter.laterWeek')];
  return (
    <div className={classes['turning']}>
      <Link to={earlier} className={classes['round'] ?? ''} aria-label={before}>
        <Back size={24} aria-hidden />
      </Link>
      <h2 aria-live="polite">{title}</h2>
      {later ? (
        <Link to={later} className={classes['round'] ?? ''} aria-label={after}>
          <Forward size={24} aria-hidden />
        </Link>
      ) : (
        <span className={classes['round']} data-off>
          <Forward size={24} aria-hidden />
        </span>
      )}
    </div>
  );
}
