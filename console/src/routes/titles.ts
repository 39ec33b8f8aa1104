// What a browser's tab, its history and a screen reader call the page at a path.
import type { ParseKeys } from 'i18next';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';

const titles: Record<string, ParseKeys> = {
  '/login': 'signIn.welcome',
  '/login/password': 'signIn.welcome',
  '/login/email': 'emailCode.title',
  '/otp-verify': 'otp.title',
  '/register': 'signIn.registerTitle',
  '/new-password': 'reset.newTitle',
  '/onboarding/assets': 'setup.assetsTitle',
  '/onboarding/users': 'setup.usersTitle',
  '/dashboard': 'nav.dashboard',
  '/polyhouses': 'nav.polyhouses',
  '/reservoirs': 'nav.reservoirs',
  '/tasks': 'nav.tasks',
  '/alerts': 'nav.notifications',
  '/notifications': 'nav.notifications',
  '/automation/rules': 'nav.rules',
  '/automation/manual': 'nav.manual',
  '/automation/logs': 'nav.logs',
  '/users': 'nav.users',
  '/profile': 'header.profile',
  '/history': 'history.title',
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
  '/sidebar-demo': 'sidebarDemo.title',
};

/** The title of the page at a path. */
export function titleOf(path: string): ParseKeys | undefined {
  const known = path.replace(/(?<=.)\/+$/, '');
  return titles[known] ?? (/^\/invite(\/|$)/.test(known) ? 'invite.title' : undefined);
}

/** Names the document after the page, in the language being shown. */
export function useTitle(): void {
  const { t } = useTranslation();
  const key = titleOf(useLocation().pathname);
  const title = key ? `${t(key)} · ${t('app.name')}` : t('app.name');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
