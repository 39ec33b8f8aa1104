// An explanation that is not there yet, or cannot be had.
import { useTranslation } from 'react-i18next';
import { failureText } from '../../i18n/failure';
import classes from './Explained.module.css';

export function Waits({ error }: { error: Error | null }) {
  const { t } = useTranslation();
  return (
    <p className={classes['waits']} role="status">
      {error ? t('explained.notBack', { problem: failureText(t, error, '') }) : t('explained.loading')}
    </p>
  );
}
