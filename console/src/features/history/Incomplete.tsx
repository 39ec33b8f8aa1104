// Says of a chart that its end may be missing, which would look like a gap of the sensors.
import { useTranslation } from 'react-i18next';
import Warn from '~icon/AlertTriangle';
import classes from './History.module.css';

export function Incomplete() {
  const { t } = useTranslation();
  return (
    <p className={classes['incomplete']}>
      <Warn size={20} aria-hidden />
      {t('history.incomplete')}
    </p>
  );
}
