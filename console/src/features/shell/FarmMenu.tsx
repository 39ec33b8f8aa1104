// Which of the person's farms is on screen.
import '@mantine/core/styles/Menu.css';
import { Menu, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Pin from '~icon/MapPin';
import Selector from '~icon/Selector';
import { chooseFarm, type Farm } from '../../api/farms';
import { FarmNames } from './FarmSwitcher';
import classes from './Header.module.css';

interface Props {
  farms: readonly Farm[];
  current: Farm;
}

export function FarmMenu({ farms, current }: Props) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-start" shadow="md" width="target" styles={{ dropdown: { minWidth: '17rem' } }}>
      <Menu.Target>
        <UnstyledButton
          className={classes['switcher'] ?? ''}
          aria-label={`${t('header.chooseFarm')}: ${current.name} ${current.location ?? ''}`.trim()}
        >
          <Pin size={22} aria-hidden />
          <FarmNames farm={current} />
          <Selector size={18} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('header.chooseFarm')}</Menu.Label>
        <Menu.RadioGroup value={current.id} onChange={chooseFarm}>
          {farms.map((farm) => (
            <Menu.RadioItem key={farm.id} value={farm.id} closeMenuOnClick>
              <FarmNames farm={farm} />
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
