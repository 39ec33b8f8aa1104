// The bar on top: menu button on small screens, farm, what finds things, STOP, language, notifications, the person.
import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import MenuIcon from '~icon/Menu2';
import { Logo } from '../../ui/Logo';
import { later } from '../../ui/later';
import { FarmSwitcher } from './FarmSwitcher';
import classes from './Header.module.css';
import { LanguageSwitch } from './LanguageSwitch';
import { PersonPlace } from './PersonFace';

/** Its place, until what opens from it has come. */
const Place = () => <span className={classes['button']} aria-hidden />;
const NotificationBell = later(async () => (await import('./NotificationBell')).NotificationBell, Place);
const UserMenu = later(async () => (await import('./UserMenu')).UserMenu, PersonPlace);

interface Props {
  showMenu: boolean;
  /** Whether the person is notified of what happens on the farm. */
  bell: boolean;
  onMenu: () => void;
  stop?: ReactNode;
  find?: ReactNode;
}

export function Header({ showMenu, bell, onMenu, stop, find }: Props) {
  const { t } = useTranslation();
  return (
    <header className={classes['header']}>
      {!bell && <Logo size={34} />}
      {showMenu && (
        <UnstyledButton className={classes['button'] ?? ''} aria-label={t('nav.open')} onClick={onMenu}>
          <MenuIcon size={26} aria-hidden />
        </UnstyledButton>
      )}
      <div className={classes['farm']}>
        <FarmSwitcher />
      </div>
      {find}
      {stop}
      <LanguageSwitch />
      {bell && <NotificationBell />}
      <UserMenu />
    </header>
  );
}
