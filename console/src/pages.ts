// Every page of the console: its URL, its title, its place in the menu, what changing it takes, and its module, which loads
// when it is first visited. Router, menu, document titles and the browser tests follow from this table.
import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import type { ComponentType } from 'react';
import { matchPath } from 'react-router';
import Automation from '~icon/AdjustmentsHorizontal';
import Harvests from '~icon/Basket';
import Bell from '~icon/BellRinging';
import Polyhouse from '~icon/BuildingTunnel';
import Reports from '~icon/ChartBar';
import History from '~icon/ChartLine';
import Orders from '~icon/ClipboardList';
import Holders from '~icon/Columns3';
import Controllers from '~icon/Cpu';
import Sales from '~icon/CurrencyRupee';
import Reservoirs from '~icon/Droplets';
import Zones from '~icon/GridDots';
import Manual from '~icon/HandFinger';
import Effects from '~icon/HeartRateMonitor';
import Logs from '~icon/History';
import Tokens from '~icon/Key';
import Dashboard from '~icon/LayoutDashboard';
import Tasks from '~icon/ListCheck';
import Letter from '~icon/MailOpened';
import Derived from '~icon/MathFunction';
import Inventory from '~icon/Packages';
import Nurseries from '~icon/Plant2';
import Outages from '~icon/PlugOff';
import Expenses from '~icon/Receipt';
import Lifecycles from '~icon/Repeat';
import Rules from '~icon/Robot';
import Deliveries from '~icon/Send';
import Setpoints from '~icon/TargetArrow';
import Templates from '~icon/Template';
import Day from '~icon/Timeline';
import Farms from '~icon/Tractor';
import Users from '~icon/Users';
import type { FarmPageProps } from './api/farms';
import type { Permission } from './api/permissions';
import type { Area } from './i18n/i18n';

/**
 * What stands around a page, and who may see it: `main` the menu, for who is signed in; `setup` onboarding; `signIn` for who
 * is not signed in; `wall` for a screen that hangs there; `password` for who is, before onboarding or after it; `open` for everybody; `none` nothing, for everybody.
 */
export type Layout = 'main' | 'wall' | 'setup' | 'signIn' | 'password' | 'open' | 'none';

interface Entry {
  path: string;
  /** Other URLs of the same page. */
  also?: readonly string[];
  title: ParseKeys;
  /** The texts that load with it. */
  texts?: Area;
  /** `main` unless said otherwise. */
  layout?: Layout;
  /** A page with an icon is in the menu: in a group, below the page of that name, or at the top. */
  icon?: Icon;
  group?: string;
  /** The item of the menu that it belongs to, where it has none. */
  under?: string;
  /** Not in the menu of the specification. */
  added?: true;
  /** What it takes to change what the page shows. */
  permission?: Permission;
  /** What it takes to see it at all. */
  sees?: Permission;
}

/** A page of the chosen farm, or one that is of no farm. */
export type Page = Entry &
  (
    | { farm: () => Promise<{ default: ComponentType<FarmPageProps> }>; load?: never }
    | { load: () => Promise<{ default: ComponentType }>; farm?: never }
  );

/** Groups of the menu that are no pages themselves. */
export const groups: Readonly<Record<string, { label: ParseKeys; icon: Icon }>> = {
  farms: { label: 'nav.farms', icon: Farms },
  sales: { label: 'nav.sales', icon: Sales },
  automation: { label: 'nav.automation', icon: Automation },
};

/** In the order of the menu. */
export const pages: readonly Page[] = [
  {
    path: '/work',
    title: 'nav.work',
    icon: Tasks,
    added: true,
    sees: 'work:own',
    texts: 'work',
    farm: () => import('./features/work/Work'),
  },
  {
    path: '/dashboard',
    title: 'nav.dashboard',
    icon: Dashboard,
    group: 'farms',
    texts: 'dashboard',
    farm: () => import('./features/dashboard/Dashboard'),
  },
  {
    path: '/wall',
    title: 'nav.wall',
    layout: 'wall',
    sees: 'farm:read',
    texts: 'dashboard',
    farm: () => import('./features/dashboard/Wall'),
  },
  {
    path: '/start',
    title: 'screen.firstHour',
    sees: 'controllers:read',
    texts: 'start',
    farm: () => import('./features/start/Start'),
  },
  {
    path: '/polyhouses',
    title: 'nav.polyhouses',
    icon: Polyhouse,
    group: 'farms',
    permission: 'places:write',
    texts: 'places',
    farm: () => import('./features/places/Polyhouses'),
  },
  {
    path: '/polyhouses/zones',
    also: ['/zones'],
    title: 'nav.zones',
    icon: Zones,
    group: 'polyhouses',
    permission: 'crops:write',
    texts: 'records',
    farm: () => import('./features/records/ZonesPage'),
  },
  {
    path: '/polyhouses/nurseries',
    also: ['/nurseries'],
    title: 'nav.nurseries',
    icon: Nurseries,
    group: 'polyhouses',
    permission: 'crops:write',
    texts: 'records',
    farm: () => import('./features/records/nurseries'),
  },
  {
    path: '/polyhouses/lifecycles',
    also: ['/lifecycles'],
    title: 'nav.lifecycles',
    icon: Lifecycles,
    group: 'polyhouses',
    permission: 'crops:write',
    texts: 'records',
    farm: () => import('./features/records/cycles'),
  },
  {
    path: '/polyhouses/derived',
    title: 'nav.derived',
    icon: Derived,
    group: 'polyhouses',
    added: true,
    permission: 'assets:write',
    texts: 'derived',
    farm: () => import('./features/derived/DerivedSensors'),
  },
  {
    path: '/reservoirs',
    title: 'nav.reservoirs',
    icon: Reservoirs,
    group: 'farms',
    permission: 'places:write',
    texts: 'places',
    farm: () => import('./features/places/Reservoirs'),
  },
  {
    path: '/reservoirs/:reservoir',
    title: 'nav.ledger',
    under: 'reservoirs',
    texts: 'ledger',
    farm: () => import('./features/ledger/Ledger'),
  },
  {
    path: '/day',
    title: 'nav.day',
    icon: Day,
    group: 'farms',
    added: true,
    texts: 'day',
    farm: () => import('./features/day/Day'),
  },
  {
    path: '/letter',
    title: 'nav.letter',
    icon: Letter,
    group: 'farms',
    added: true,
    texts: 'letter',
    farm: () => import('./features/letter/Letter'),
  },
  {
    path: '/history',
    title: 'history.title',
    icon: History,
    group: 'farms',
    added: true,
    texts: 'history',
    farm: () => import('./features/history/History'),
  },
  {
    path: '/inventory',
    title: 'nav.inventory',
    icon: Inventory,
    group: 'farms',
    permission: 'crops:write',
    texts: 'records',
    farm: () => import('./features/records/InventoryPage'),
  },
  {
    path: '/tasks',
    title: 'nav.tasks',
    icon: Tasks,
    group: 'farms',
    permission: 'tasks:write',
    texts: 'tasks',
    farm: () => import('./features/tasks/Tasks'),
  },
  {
    path: '/harvests',
    title: 'nav.harvests',
    icon: Harvests,
    group: 'farms',
    added: true,
    permission: 'crops:write',
    texts: 'records',
    farm: () => import('./features/records/harvests'),
  },
  {
    path: '/templates',
    title: 'nav.templates',
    icon: Templates,
    permission: 'crops:write',
    texts: 'records',
    farm: () => import('./features/records/templates'),
  },
  {
    path: '/users',
    title: 'nav.users',
    icon: Users,
    permission: 'users:write',
    texts: 'users',
    farm: () => import('./features/users/Users'),
  },
  {
    path: '/sales/reports',
    title: 'nav.reports',
    icon: Reports,
    group: 'sales',
    also: ['/reports'],
    sees: 'money:read',
    texts: 'records',
    farm: () => import('./features/records/ReportPage'),
  },
  {
    path: '/sales/orders',
    title: 'nav.orders',
    icon: Orders,
    group: 'sales',
    permission: 'money:write',
    sees: 'money:read',
    texts: 'records',
    farm: () => import('./features/records/sales'),
  },
  {
    path: '/sales/expenses',
    title: 'nav.expenses',
    icon: Expenses,
    group: 'sales',
    added: true,
    permission: 'money:write',
    sees: 'money:read',
    texts: 'records',
    farm: () => import('./features/records/expenses'),
  },
  {
    path: '/automation/rules',
    title: 'nav.rules',
    icon: Rules,
    group: 'automation',
    permission: 'rules:write',
    texts: 'rules',
    farm: () => import('./features/rules/Rules'),
  },
  {
    path: '/automation/setpoints',
    title: 'nav.setpoints',
    icon: Setpoints,
    group: 'automation',
    added: true,
    permission: 'rules:write',
    texts: 'rules',
    farm: () => import('./features/rules/Setpoints'),
  },
  {
    path: '/automation/manual',
    title: 'nav.manual',
    icon: Manual,
    group: 'automation',
    permission: 'devices:command',
    texts: 'control',
    farm: () => import('./routes/manual'),
  },
  {
    path: '/automation/groups',
    title: 'nav.groups',
    under: 'manual',
    permission: 'assets:write',
    texts: 'control',
    farm: () => import('./features/control/Groups'),
  },
  {
    path: '/automation/holders',
    title: 'nav.holders',
    icon: Holders,
    group: 'automation',
    added: true,
    texts: 'holders',
    farm: () => import('./features/holders/Holders'),
  },
  {
    path: '/automation/effects',
    title: 'nav.effects',
    icon: Effects,
    group: 'automation',
    added: true,
    permission: 'assets:write',
    texts: 'effects',
    farm: () => import('./features/effects/Effects'),
  },
  {
    path: '/automation/logs',
    title: 'nav.logs',
    icon: Logs,
    group: 'automation',
    texts: 'logs',
    farm: () => import('./features/logs/Logs'),
  },
  {
    path: '/automation/outages',
    title: 'nav.outages',
    icon: Outages,
    group: 'automation',
    added: true,
    texts: 'outages',
    farm: () => import('./features/outages/Outages'),
  },
  {
    path: '/automation/controllers',
    also: ['/controllers'],
    title: 'nav.controllers',
    icon: Controllers,
    group: 'automation',
    added: true,
    permission: 'controllers:write',
    sees: 'controllers:read',
    texts: 'controllers',
    farm: () => import('./features/controllers/Controllers'),
  },
  {
    path: '/automation/controllers/found',
    title: 'screen.controller.foundTitle',
    permission: 'assets:write',
    sees: 'controllers:read',
    texts: 'controllers',
    farm: () => import('./features/controllers/Found'),
  },
  {
    path: '/automation/controllers/unknown',
    title: 'screen.controller.unknownTitle',
    permission: 'assets:write',
    sees: 'farm:operate',
    texts: 'controllers',
    farm: () => import('./features/controllers/Unknown'),
  },
  {
    path: '/automation/controllers/bench',
    title: 'screen.controller.benchTitle',
    permission: 'assets:write',
    sees: 'farm:operate',
    texts: 'controllers',
    farm: () => import('./features/controllers/Bench'),
  },
  {
    path: '/notifications',
    also: ['/alerts'],
    title: 'nav.notifications',
    icon: Bell,
    permission: 'alerts:write',
    texts: 'alerts',
    farm: () => import('./features/alerts/Alerts'),
  },
  {
    path: '/alerts/who-is-told',
    title: 'nav.told',
    under: 'notifications',
    sees: 'farm:read',
    permission: 'alerts:write',
    texts: 'alerts',
    farm: () => import('./features/alerts/WhoIsTold'),
  },
  {
    path: '/alerts/:incident',
    title: 'nav.incident',
    under: 'notifications',
    permission: 'alerts:answer',
    texts: 'alerts',
    farm: () => import('./features/alerts/Incident'),
  },
  {
    path: '/deliveries',
    title: 'nav.deliveries',
    icon: Deliveries,
    added: true,
    permission: 'deliveries:test',
    sees: 'farm:operate',
    texts: 'deliveries',
    farm: () => import('./features/deliveries/Deliveries'),
  },
  {
    path: '/tokens',
    title: 'nav.tokens',
    icon: Tokens,
    added: true,
    permission: 'integrations:write',
    sees: 'farm:read',
    texts: 'tokens',
    farm: () => import('./features/tokens/Access'),
  },
  {
    path: '/profile',
    title: 'header.profile',
    texts: 'profile',
    load: () => import('./features/profile/Profile'),
  },
  {
    path: '/onboarding/assets',
    title: 'setup.assetsTitle',
    layout: 'setup',
    texts: 'onboarding',
    load: () => import('./features/onboarding/AssetsStep'),
  },
  {
    path: '/onboarding/users',
    title: 'setup.usersTitle',
    layout: 'setup',
    texts: 'onboarding',
    load: () => import('./features/onboarding/UsersStep'),
  },
  {
    path: '/login',
    title: 'signIn.welcome',
    layout: 'signIn',
    load: () => import('./features/sign-in/CodeRequest'),
  },
  {
    path: '/login/password',
    title: 'signIn.welcome',
    layout: 'signIn',
    load: () => import('./features/sign-in/PasswordForm'),
  },
  {
    path: '/login/email',
    title: 'emailCode.title',
    layout: 'signIn',
    load: () => import('./features/sign-in/EmailCode'),
  },
  {
    path: '/otp-verify',
    title: 'otp.title',
    layout: 'signIn',
    load: () => import('./features/sign-in/CodeVerify'),
  },
  {
    path: '/register',
    title: 'signIn.registerTitle',
    layout: 'signIn',
    load: () => import('./features/sign-in/Register'),
  },
  {
    path: '/new-password',
    title: 'reset.newTitle',
    layout: 'password',
    load: () => import('./features/sign-in/NewPassword'),
  },
  // /invite#{token}, and /invite/{token} of older links
  {
    path: '/invite/:token?',
    title: 'invite.title',
    layout: 'open',
    load: () => import('./features/sign-in/Invitation'),
  },
  {
    path: '/sidebar-demo',
    title: 'sidebarDemo.title',
    layout: 'none',
    load: () => import('./routes/sidebar-demo'),
  },
];

/** All URLs of a page. */
export function pathsOf({ path, also = [] }: Page): string[] {
  return [path, ...also];
}

/** The page at a path. */
export function pageAt(path: string): Page | undefined {
  return pages.find((page) => pathsOf(page).some((pattern) => matchPath(pattern, path)));
}
