// The navigation tree and which of its items a path belongs to.
import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import Automation from '~icon/AdjustmentsHorizontal';
import Bell from '~icon/BellRinging';
import Polyhouse from '~icon/BuildingTunnel';
import Reports from '~icon/ChartBar';
import History from '~icon/ChartLine';
import Orders from '~icon/ClipboardList';
import Sales from '~icon/CurrencyRupee';
import Reservoirs from '~icon/Droplets';
import Zones from '~icon/GridDots';
import Manual from '~icon/HandFinger';
import Logs from '~icon/History';
import Dashboard from '~icon/LayoutDashboard';
import Tasks from '~icon/ListCheck';
import Inventory from '~icon/Packages';
import Nurseries from '~icon/Plant2';
import Lifecycles from '~icon/Repeat';
import Rules from '~icon/Robot';
import Templates from '~icon/Template';
import Farms from '~icon/Tractor';
import Users from '~icon/Users';

export type NavId =
  | 'farms'
  | 'dashboard'
  | 'polyhouses'
  | 'zones'
  | 'nurseries'
  | 'lifecycles'
  | 'reservoirs'
  | 'inventory'
  | 'tasks'
  | 'history'
  | 'templates'
  | 'users'
  | 'sales'
  | 'reports'
  | 'orders'
  | 'automation'
  | 'rules'
  | 'manual'
  | 'logs'
  | 'notifications';

export interface NavLeaf {
  id: NavId;
  label: ParseKeys;
  icon: Icon;
  to: string;
}

/** A submenu; with `to` its own row is also a page. */
export interface NavGroup {
  id: NavId;
  label: ParseKeys;
  icon: Icon;
  to?: string;
  items: NavNode[];
}

export type NavNode = NavLeaf | NavGroup;

export function isGroup(node: NavNode): node is NavGroup {
  return 'items' in node;
}

/** Pages that are still to come. */
const coming: NavId[] = [
  'zones',
  'nurseries',
  'lifecycles',
  'inventory',
  'templates',
  'sales',
  'reports',
  'orders',
];
/** Pages that the specification does not have. */
const added: NavId[] = ['history'];

const all: NavNode[] = [
  {
    id: 'farms',
    label: 'nav.farms',
    icon: Farms,
    items: [
      { id: 'dashboard', label: 'nav.dashboard', icon: Dashboard, to: '/dashboard' },
      {
        id: 'polyhouses',
        label: 'nav.polyhouses',
        icon: Polyhouse,
        to: '/polyhouses',
        items: [
          { id: 'zones', label: 'nav.zones', icon: Zones, to: '/polyhouses/zones' },
          { id: 'nurseries', label: 'nav.nurseries', icon: Nurseries, to: '/polyhouses/nurseries' },
          { id: 'lifecycles', label: 'nav.lifecycles', icon: Lifecycles, to: '/polyhouses/lifecycles' },
        ],
      },
      { id: 'reservoirs', label: 'nav.reservoirs', icon: Reservoirs, to: '/reservoirs' },
      { id: 'history', label: 'history.title', icon: History, to: '/history' },
      { id: 'inventory', label: 'nav.inventory', icon: Inventory, to: '/inventory' },
      { id: 'tasks', label: 'nav.tasks', icon: Tasks, to: '/tasks' },
    ],
  },
  { id: 'templates', label: 'nav.templates', icon: Templates, to: '/templates' },
  { id: 'users', label: 'nav.users', icon: Users, to: '/users' },
  {
    id: 'sales',
    label: 'nav.sales',
    icon: Sales,
    items: [
      { id: 'reports', label: 'nav.reports', icon: Reports, to: '/sales/reports' },
      { id: 'orders', label: 'nav.orders', icon: Orders, to: '/sales/orders' },
    ],
  },
  {
    id: 'automation',
    label: 'nav.automation',
    icon: Automation,
    items: [
      { id: 'rules', label: 'nav.rules', icon: Rules, to: '/automation/rules' },
      { id: 'manual', label: 'nav.manual', icon: Manual, to: '/automation/manual' },
      { id: 'logs', label: 'nav.logs', icon: Logs, to: '/automation/logs' },
    ],
  },
  { id: 'notifications', label: 'nav.notifications', icon: Bell, to: '/notifications' },
];

/** The tree without some nodes; a page whose submenu is left empty is a page. */
function without(nodes: NavNode[], ids: NavId[]): NavNode[] {
  return nodes
    .filter((node) => !ids.includes(node.id))
    .map((node) => {
      if (!isGroup(node)) return node;
      const { items, ...rest } = node;
      const left = without(items, ids);
      const { to } = rest;
      return left.length === 0 && to !== undefined ? { ...rest, to } : { ...node, items: left };
    });
}

/** The menu of the specification, which the demo of the menu shows: some of its pages are still to come. */
export const specifiedTree: NavNode[] = without(all, added);

/** The menu: what has a page. */
export const fullTree: NavNode[] = without(all, coming);

/** The reduced menu. */
export const minimalTree: NavNode[] = [
  { id: 'dashboard', label: 'nav.dashboard', icon: Dashboard, to: '/dashboard' },
  { id: 'inventory', label: 'nav.inventory', icon: Inventory, to: '/inventory' },
  { id: 'users', label: 'nav.users', icon: Users, to: '/users' },
];

const byPath: Record<string, NavId> = {
  '/dashboard': 'dashboard',
  '/polyhouses': 'polyhouses',
  '/polyhouses/zones': 'zones',
  '/zones': 'zones',
  '/polyhouses/nurseries': 'nurseries',
  '/nurseries': 'nurseries',
  '/polyhouses/lifecycles': 'lifecycles',
  '/lifecycles': 'lifecycles',
  '/reservoirs': 'reservoirs',
  '/inventory': 'inventory',
  '/tasks': 'tasks',
  '/history': 'history',
  '/templates': 'templates',
  '/users': 'users',
  '/automation/rules': 'rules',
  '/automation/manual': 'manual',
  '/automation/logs': 'logs',
  '/alerts': 'notifications',
  '/notifications': 'notifications',
};

/** The item to highlight. Below /sales it is Sales; what is unknown counts as the dashboard. */
export function activeItem(path: string): NavId {
  const clean = path.length > 1 ? path.replace(/\/+$/, '') : path;
  if (clean === '/sales' || clean.startsWith('/sales/')) return 'sales';
  return byPath[clean] ?? 'dashboard';
}

/** Whether an item is inside a group, at any depth. */
export function contains(group: NavGroup, id: NavId): boolean {
  return group.items.some((node) => node.id === id || (isGroup(node) && contains(node, id)));
}
