// Pages that have nothing to show yet, by their path. They say so, and show no invented data.
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { Notice } from '../ui/Notice';

const titles: Record<string, ParseKeys> = {
  '/polyhouses': 'nav.polyhouses',
  '/reservoirs': 'nav.reservoirs',
  '/alerts': 'nav.notifications',
  '/notifications': 'nav.notifications',
  '/automation/rules': 'nav.rules',
  '/automation/manual': 'nav.manual',
  '/automation/logs': 'nav.logs',
  '/zones': 'nav.zones',
  '/nurseries': 'nav.nurseries',
  '/lifecycles': 'nav.lifecycles',
  '/inventory': 'nav.inventory',
  '/templates': 'nav.templates',
  '/reports': 'nav.reports',
  '/sales/reports': 'nav.reports',
  '/sales/orders': 'nav.orders',
  '/polyhouses/zones': 'nav.zones',
  '/polyhouses/nurseries': 'nav.nurseries',
  '/polyhouses/lifecycles': 'nav.lifecycles',
};

export function Component() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const title = titles[pathname.replace(/\/+$/, '')] ?? 'app.name';
  return (
    <Notice title={t(title)} text={t('app.coming')}>
      <Link to="/dashboard">{t('app.backToDashboard')}</Link>
    </Notice>
  );
}
