// The main layout: navigation on the left (in a drawer on small screens), header on top, the page in the middle.
import { UnstyledButton } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Collapse from '~icon/LayoutSidebarLeftCollapse';
import Expand from '~icon/LayoutSidebarLeftExpand';
import { useLostSince } from '../../api/live-status';
import { later } from '../../ui/later';
import { BottomBar } from './BottomBar';
import { Brand } from './Brand';
import { ConnectionBar } from './ConnectionBar';
import classes from './Frame.module.css';
import { Header } from './Header';
import { SideNav } from './SideNav';
import type { NavId, NavLeaf, NavNode } from './tree';

const MenuDrawer = later(async () => (await import('./MenuDrawer')).MenuDrawer);

/** From here on the navigation stands beside the page (the same width as in Frame.module.css). */
const WIDE = '(min-width: 62em)';
/** Whether it is collapsed on this device. */
const COLLAPSED = 'navigation-collapsed';

interface Props {
  /** None for who has one page. */
  menu: { tree: NavNode[]; bar: readonly NavLeaf[]; active: NavId; farmId: string | undefined } | undefined;
  /** The button that stops machines: in the header, and on a phone where the thumb is. */
  stop?: ReactNode;
  /** The way to everything by its name; beside the menu alone. */
  find?: ReactNode;
  /** What stands above every page. */
  above?: ReactNode;
  children: ReactNode;
}

export function Frame({ menu: items, stop, find, above, children }: Props) {
  const { t } = useTranslation();
  const lostSince = useLostSince();
  const wide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const [menuOpen, menu] = useDisclosure(false);
  const [collapsed, setCollapsed] = useState(localStorage.getItem(COLLAPSED) === 'true');
  const toggle = () => {
    localStorage.setItem(COLLAPSED, String(!collapsed));
    setCollapsed(!collapsed);
  };
  const toggleLabel = t(collapsed ? 'nav.expand' : 'nav.collapse');
  return (
    <div className={classes['frame']}>
      <a className={classes['skip']} href="#content">
        {t('app.skip')}
      </a>
      {items === undefined ? null : wide ? (
        <aside className={classes['side']} data-collapsed={collapsed}>
          <div className={classes['sticky']}>
            <div className={classes['top']}>
              <Brand iconOnly={collapsed} />
            </div>
            <div className={classes['scroll']}>
              <SideNav tree={items.tree} active={items.active} farmId={items.farmId} collapsed={collapsed} />
            </div>
            <UnstyledButton
              className={classes['collapse'] ?? ''}
              aria-label={toggleLabel}
              title={toggleLabel}
              onClick={toggle}
            >
              {collapsed ? <Expand size={22} aria-hidden /> : <Collapse size={22} aria-hidden />}
              {!collapsed && <span>{toggleLabel}</span>}
            </UnstyledButton>
          </div>
        </aside>
      ) : (
        <MenuDrawer
          opened={menuOpen}
          onClose={menu.close}
          tree={items.tree}
          active={items.active}
          farmId={items.farmId}
        />
      )}
      <div className={classes['main']}>
        <Header
          showMenu={!wide && items !== undefined}
          bell={items !== undefined}
          onMenu={menu.open}
          stop={wide ? stop : undefined}
          find={wide ? find : undefined}
        />
        <ConnectionBar />
        {above}
        <main
          id="content"
          tabIndex={-1}
          className={classes['content']}
          data-lost={lostSince !== undefined || undefined}
        >
          {children}
        </main>
      </div>
      {!wide && stop && (
        <footer className={classes['foot']} data-stop-bar>
          {items && <BottomBar items={items.bar} active={items.active} />}
          <div className={classes['stop']}>{stop}</div>
        </footer>
      )}
    </div>
  );
}
