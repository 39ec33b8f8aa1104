// The menu by itself: which item a path belongs to, collapsed, one submenu at a time, reduced (spec 2.20).
import { Button, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import frame from './Frame.module.css';
import { LanguageSwitch } from './LanguageSwitch';
import classes from './SidebarDemo.module.css';
import { SideNav } from './SideNav';
import type { NavId, NavNode } from './tree';

const paths = [
  '/dashboard',
  '/polyhouses/zones',
  '/polyhouses/nurseries',
  '/polyhouses/lifecycles',
  '/reservoirs',
  '/inventory',
  '/tasks',
  '/templates',
  '/users',
  '/sales/reports',
  '/sales/orders',
  '/notifications',
];

interface Props {
  full: NavNode[];
  minimal: NavNode[];
  activeItem: (path: string) => NavId;
}

export function SidebarDemo({ full, minimal: reduced, activeItem }: Props) {
  const { t } = useTranslation();
  const [path, setPath] = useState('/dashboard');
  const [collapsed, setCollapsed] = useState(false);
  const [singleOpen, setSingleOpen] = useState(false);
  const [minimal, setMinimal] = useState(false);
  const toggles = [
    { label: t('sidebarDemo.collapsed'), on: collapsed, set: setCollapsed },
    { label: t('sidebarDemo.single'), on: singleOpen, set: setSingleOpen },
    { label: t('sidebarDemo.minimal'), on: minimal, set: setMinimal },
  ];
  return (
    <div className={classes['page']}>
      <aside
        className={`${frame['side']} ${classes['side']}`}
        data-collapsed={collapsed}
        onClickCapture={(event) => {
          // Links of the menu are shown as chosen and lead nowhere.
          const link = (event.target as Element).closest('a');
          if (!link) return;
          event.preventDefault();
          setPath(new URL(link.href).pathname);
        }}
      >
        <SideNav
          tree={minimal ? reduced : full}
          active={activeItem(path)}
          collapsed={collapsed}
          singleOpen={singleOpen}
          path={path}
        />
      </aside>
      <main className={classes['main']}>
        <div className={classes['head']}>
          <h1>{t('sidebarDemo.title')}</h1>
          <LanguageSwitch />
        </div>
        <p>{t('sidebarDemo.hint')}</p>
        <div className={classes['row']}>
          {toggles.map(({ label, on, set }) => (
            <Button
              key={label}
              variant={on ? 'filled' : 'default'}
              aria-pressed={on}
              onClick={() => set(!on)}
            >
              {label}
            </Button>
          ))}
        </div>
        <dl className={classes['now']}>
          <dt>{t('sidebarDemo.path')}</dt>
          <dd>{path}</dd>
          <dt>{t('sidebarDemo.item')}</dt>
          <dd data-testid="menu-item">{activeItem(path)}</dd>
        </dl>
        <ul className={classes['paths']}>
          {paths.map((known) => (
            <li key={known}>
              <UnstyledButton
                className={classes['path'] ?? ''}
                aria-pressed={known === path}
                onClick={() => setPath(known)}
              >
                {known}
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </main>
    </div>
  );
}
