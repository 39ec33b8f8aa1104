// The way to everything by its name: a button in the header, and Ctrl K. What it opens loads with the first use.
import { UnstyledButton } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Search from '~icon/Search';
import type { Farm } from '../../api/farms';
import classes from './Header.module.css';
import type { NavNode } from './tree';

const Palette = lazy(() => import('./Palette'));

interface Props {
  farm: Farm;
  tree: readonly NavNode[];
}

export function PaletteButton({ farm, tree }: Props) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<boolean>();
  useWindowEvent('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    setOpened((before) => !before);
  });
  return (
    <>
      <UnstyledButton
        className={`${classes['button']} ${classes['search']}`}
        aria-keyshortcuts="Control+K"
        onClick={() => setOpened(true)}
      >
        <Search size={22} aria-hidden />
        <span>{t('palette.find')}</span>
        <kbd>{t('palette.keys')}</kbd>
      </UnstyledButton>
      {opened !== undefined && (
        <Suspense>
          <Palette farm={farm} tree={tree} opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  );
}
