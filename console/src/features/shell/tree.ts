// The navigation tree.
import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';

export type NavId = string;

export interface NavLeaf {
  id: NavId;
  label: ParseKeys;
  icon: Icon;
  to: string;
}

/** A submenu; with `to` its own row is also a page. */
export interface NavGroup extends Omit<NavLeaf, 'to'> {
  to?: string;
  items: NavNode[];
}

export type NavNode = NavLeaf | NavGroup;

export function isGroup(node: NavNode): node is NavGroup {
  return 'items' in node;
}

/** An item and where it belongs: into a group, below another item, or at the top. */
interface Item extends NavLeaf {
  group: NavId | undefined;
}

/** The tree of items in their order; a group stands where its first item does. */
export function treeOf(
  items: readonly Item[],
  groups: Readonly<Record<NavId, Pick<NavGroup, 'label' | 'icon'>>>,
): NavNode[] {
  const below = (id: NavId) => items.filter(({ group }) => group === id).map(node);
  function node({ group: _, ...leaf }: Item): NavNode {
    const inside = below(leaf.id);
    return inside.length > 0 ? { ...leaf, items: inside } : leaf;
  }
  const opened = new Set<NavId>();
  return items.flatMap((item) => {
    if (item.group === undefined) return [node(item)];
    const group = groups[item.group];
    if (!group || opened.has(item.group)) return [];
    opened.add(item.group);
    return [{ id: item.group, ...group, items: below(item.group) }];
  });
}

/** Whether an item is inside a group, at any depth. */
export function contains(group: NavGroup, id: NavId): boolean {
  return group.items.some((node) => node.id === id || (isGroup(node) && contains(node, id)));
}

/** All rows that are pages, in their order. */
export function leaves(tree: readonly NavNode[]): NavLeaf[] {
  return tree.flatMap((node) => {
    if (!isGroup(node)) return [node];
    const { items, to, ...row } = node;
    return [...(to === undefined ? [] : [{ ...row, to }]), ...leaves(items)];
  });
}
