// The bell and its panel. The server has no notifications yet, and the panel says so: no badge, no invented items.
import { Popover, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Bell from '~icon/Bell';
import classes from './Header.module.css';

export function NotificationBell() {
  const { t } = useTranslation();
  return (
    <Popover position="bottom-end" shadow="md" width="min(22rem, calc(100vw - 1.5rem))" trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className={classes['button'] ?? ''} aria-label={t('header.bell')}>
          <Bell size={24} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={0} className={classes['panel'] ?? ''} aria-label={t('header.bell')}>
        <p className={classes['panelTitle']}>{t('header.bell')}</p>
        <div className={classes['panelEmpty']}>
          <Bell size={32} stroke={1.5} aria-hidden />
          <p>{t('header.bellEmpty')}</p>
          <p>{t('header.bellHint')}</p>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
