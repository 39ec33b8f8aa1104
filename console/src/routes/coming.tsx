// Pages that have nothing to show yet. They say so, and show no invented data.
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { Notice } from '../ui/Notice';
import { titleOf } from './titles';

export function Component() {
  const { t } = useTranslation();
  const title = titleOf(useLocation().pathname) ?? 'app.name';
  return (
    <Notice title={t(title)} text={t('app.coming')}>
      <Link to="/dashboard">{t('app.backToDashboard')}</Link>
    </Notice>
  );
}
