// The navigation on a small screen: from the side, over the page.
import { Drawer, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Close from '~icon/X';
import { Brand } from './Brand';
import classes from './Frame.module.css';
import { SideNav } from './SideNav';
import type { NavId, NavNode } from './tree';

interface Props {
  opened: boolean;
  onClose: () => void;
  tree: NavNode[];
  active: NavId;
  farmId: string | undefined;
}

export function MenuDrawer({ opened, onClose, tree, active, farmId }: Props) {
  const { t } = useTranslation();
  return (
    <Drawer.Root
      opened={opened}
      onClose={onClose}
      size="min(20rem, 86vw)"
      padding={0}
      classNames={{ content: classes['drawer'] ?? '' }}
    >
      <Drawer.Overlay />
      <Drawer.Content aria-label={t('nav.main')}>
        <Drawer.Body className={classes['drawerBody'] ?? ''}>
          <div className={classes['top']}>
            <Brand />
            <UnstyledButton className={classes['close'] ?? ''} aria-label={t('nav.close')} onClick={onClose}>
              <Close size={24} aria-hidden />
            </UnstyledButton>
          </div>
          <div className={classes['scroll']}>
            <SideNav tree={tree} active={active} farmId={farmId} collapsed={false} onNavigate={onClose} />
          </div>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
