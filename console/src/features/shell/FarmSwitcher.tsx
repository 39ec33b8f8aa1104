// Shows the farm on screen and switches to another of the person's farms. With one farm there is nothing to switch.
import { Menu, Skeleton, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Pin from '~icon/MapPin';
import Selector from '~icon/Selector';
import { chooseFarm, type Farm, useFarms } from '../../api/farms';
import classes from './Header.module.css';

export function FarmSwitcher() {
  const { t } = useTranslation();
  const { farms, current } = useFarms();
  if (!farms) return <Skeleton height={20} width="min(11rem, 100%)" aria-hidden />;
  if (!current) return null;
  if (farms.length === 1) {
    return (
      <div className={classes['switcher']}>
        <Pin size={22} aria-hidden />
        <Names farm={current} />
      </div>
    );
  }
  return (
    <Menu position="bottom-start" shadow="md" width="target" styles={{ dropdown: { minWidth: '17rem' } }}>
      <Menu.Target>
        <UnstyledButton
          className={classes['switcher'] ?? ''}
          aria-label={`${t('header.chooseFarm')}: ${current.name} ${current.location ?? ''}`.trim()}
        >
          <Pin size={22} aria-hidden />
          <Names farm={current} />
          <Selector size={18} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('header.chooseFarm')}</Menu.Label>
        <Menu.RadioGroup value={current.id} onChange={chooseFarm}>
          {farms.map((farm) => (
            <Menu.RadioItem key={farm.id} value={farm.id} closeMenuOnClick>
              <Names farm={farm} />
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

function Names({ farm }: { farm: Farm }) {
  return (
    <span className={classes['names']}>
      {/* The space is heard, not seen: the two are one name. */}
      <span className={classes['farmName']}>{farm.name}</span>{' '}
      {farm.location && <span className={classes['place']}>{farm.location}</span>}
    </span>
  );
}
