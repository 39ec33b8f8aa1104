// The navigation trees, made from the table of pages, and which of their items a path belongs to.

import type { ParseKeys } from 'i18next';
import type { Farm } from '../api/farms';
import { may } from '../api/permissions';
import { type NavId, type NavLeaf, type NavNode, treeOf } from '../features/shell/tree';
import { groups, type Page, pageAt, pages } from '../pages';

/** An item is called after the end of its page's path. */
const idOf = (path: string): NavId => path.slice(path.lastIndexOf('/') + 1);

function menuOf(shown: readonly Page[]): NavNode[] {
  const items = shown.flatMap(({ path, title, icon, group }) =>
    icon ? [{ id: idOf(path), label: title, icon, to: path, group }] : [],
  );
  return treeOf(items, groups);
}

/** The menu of the specification, which the demo of the menu shows. */
export const specifiedTree = menuOf(pages.filter(({ added }) => !added));

/** The menu of a farm: what the caller may see of it. */
export function treeFor(farm: Farm | undefined): NavNode[] {
  return menuOf(pages.filter(({ sees }) => sees === undefined || may(farm, sees)));
}

/** What stands in the bar at the foot of a phone's screen, and how it is called there. */
const mostUsed = {
  '/dashboard': 'nav.today',
  '/polyhouses': 'nav.polyhouses',
  '/automation/rules': 'nav.rules',
  '/tasks': 'nav.tasks',
} as const satisfies Record<string, ParseKeys>;

/** The items of that bar, first to last. */
export const barItems: readonly NavLeaf[] = Object.entries(mostUsed).flatMap(([path, label]) => {
  const icon = pageAt(path)?.icon;
  return icon ? [{ id: idOf(path), label, icon, to: path }] : [];
});

/** The reduced menu. */
const minimal = ['/dashboard', '/inventory', '/users'];
export const minimalTree = menuOf(
  pages.filter(({ path }) => minimal.includes(path)).map(({ group: _, ...page }) => page),
);

/** The item to highlight. Below /sales it is Sales; what is not in the menu counts as the page above it, else as the dashboard. */
export function activeItem(path: string): NavId {
  const page = pageAt(path);
  if (/^\/sales(\/|$)/.test(page?.path ?? path)) return 'sales';
  if (page?.under) return page.under;
  const shown = page?.icon
    ? page
    : pages.find(({ path: above, icon }) => icon && page?.path.startsWith(`${above}/`));
  return shown ? idOf(shown.path) : 'dashboard';
}
