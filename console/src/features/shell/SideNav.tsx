// The navigation: a tree with submenus, or, when collapsed, a column of icons with flyouts.
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import Chevron from '~icon/ChevronDown';
import { Link } from '../../screen/Link';
import { later } from '../../ui/later';
import { NavCount } from './NavCount';
import classes from './SideNav.module.css';
import { contains, isGroup, type NavGroup, type NavId, type NavLeaf, type NavNode } from './tree';

const CollapsedNode = later(async () => (await import('./CollapsedNode')).CollapsedNode);

interface Props {
  tree: NavNode[];
  /** The item to mark. */
  active: NavId;
  collapsed: boolean;
  /** Whose things are counted; nothing is without one. */
  farmId?: string | undefined;
  /** Called when a link was followed (the menu of small screens then closes). */
  onNavigate?: () => void;
  /** Opening a submenu closes the others. */
  singleOpen?: boolean;
  /** The path to mark instead of the page's own. */
  path?: string;
}

export function SideNav({ tree, active, collapsed, farmId, onNavigate, singleOpen = false, path }: Props) {
  const { t } = useTranslation();
  const here = useLocation().pathname;
  const pathname = path ?? here;
  const [open, setOpen] = useState<ReadonlySet<NavId>>(() => new Set<NavId>(['farms']));

  // The item that is shown as active must be visible.
  useEffect(() => {
    setOpen((before) => {
      const holders = groupsAround(tree, active).filter((id) => !before.has(id));
      return holders.length === 0 ? before : new Set([...before, ...holders]);
    });
  }, [tree, active]);

  // Also where the menu is longer than the screen; but whoever scrolls or opens something else is left alone.
  const nav = useRef<HTMLElement>(null);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const item = nav.current?.querySelector('[aria-current="page"]');
    if (shown.current === pathname || !item || item.closest('[hidden]')) return;
    shown.current = pathname;
    item.scrollIntoView({ block: 'nearest' });
  });

  const toggle = (id: NavId) =>
    setOpen((before) => {
      const next = new Set(before);
      if (next.delete(id)) return next;
      return singleOpen ? new Set(groupsAround(tree, id)) : next.add(id);
    });

  const context: Drawing = { active, pathname, farmId, open, toggle, onNavigate };
  return (
    <nav ref={nav} className={classes['nav']} aria-label={t('nav.main')} data-collapsed={collapsed}>
      <ul>
        {tree.map((node) =>
          collapsed ? (
            <CollapsedNode key={node.id} node={node} active={active} pathname={pathname} farmId={farmId} />
          ) : (
            <Node key={node.id} node={node} depth={0} drawing={context} />
          ),
        )}
      </ul>
    </nav>
  );
}

interface Drawing {
  active: NavId;
  pathname: string;
  farmId: string | undefined;
  open: ReadonlySet<NavId>;
  toggle: (id: NavId) => void;
  onNavigate: (() => void) | undefined;
}

/** The groups that must be open for an item to be seen; a group that is itself active is open too. */
function groupsAround(nodes: NavNode[], id: NavId): NavId[] {
  return nodes.flatMap((node) =>
    isGroup(node) && (node.id === id || contains(node, id)) ? [node.id, ...groupsAround(node.items, id)] : [],
  );
}

function Node({ node, depth, drawing }: { node: NavNode; depth: number; drawing: Drawing }) {
  return (
    <li data-section={(depth === 0 && isGroup(node)) || undefined}>
      {isGroup(node) ? (
        <Group group={node} depth={depth} drawing={drawing} />
      ) : (
        <Leaf leaf={node} drawing={drawing} />
      )}
    </li>
  );
}

/** Whether an item is the one on screen. */
export function isHere(drawing: Pick<Drawing, 'active' | 'pathname'>, id: NavId, to: string): boolean {
  return drawing.active === id || drawing.pathname === to;
}

function Leaf({ leaf, drawing }: { leaf: NavLeaf; drawing: Drawing }) {
  const { t } = useTranslation();
  const here = isHere(drawing, leaf.id, leaf.to);
  return (
    <Link
      className={classes['row']}
      to={leaf.to}
      data-active={here}
      aria-current={here ? 'page' : undefined}
      onClick={drawing.onNavigate}
    >
      <leaf.icon size={22} aria-hidden />
      <span>{t(leaf.label)}</span>
      <NavCount id={leaf.id} farmId={drawing.farmId} />
    </Link>
  );
}

function Group({ group, depth, drawing }: { group: NavGroup; depth: number; drawing: Drawing }) {
  const { t } = useTranslation();
  const panel = useId();
  const open = drawing.open.has(group.id);
  const name = t(group.label);
  const chevron = <Chevron className={classes['chevron']} size={20} data-open={open} aria-hidden />;
  // A closed group carries the mark of what is active inside it. Sales is marked as a whole (spec 2.3).
  const marked = drawing.active === group.id || (!open && contains(group, drawing.active));
  return (
    <>
      {group.to === undefined ? (
        // A button: click, Enter and Space are the browser's own.
        <button
          type="button"
          className={classes['row']}
          data-group={depth === 0}
          data-active={marked}
          aria-expanded={open}
          aria-controls={panel}
          onClick={() => drawing.toggle(group.id)}
        >
          <group.icon size={22} aria-hidden />
          <span>{name}</span>
          {chevron}
        </button>
      ) : (
        <div className={classes['split']}>
          <Link
            className={classes['row']}
            to={group.to}
            data-active={marked}
            aria-current={drawing.pathname === group.to ? 'page' : undefined}
            onClick={() => {
              if (!open) drawing.toggle(group.id);
              drawing.onNavigate?.();
            }}
          >
            <group.icon size={22} aria-hidden />
            <span>{name}</span>
            <NavCount id={group.id} farmId={drawing.farmId} />
          </Link>
          <button
            type="button"
            className={classes['toggle']}
            aria-label={t(open ? 'nav.hideItems' : 'nav.showItems', { name })}
            aria-expanded={open}
            aria-controls={panel}
            onClick={() => drawing.toggle(group.id)}
          >
            {chevron}
          </button>
        </div>
      )}
      <ul id={panel} className={classes['inner']} data-depth={depth} hidden={!open}>
        {group.items.map((item) => (
          <Node key={item.id} node={item} depth={depth + 1} drawing={drawing} />
        ))}
      </ul>
    </>
  );
}
