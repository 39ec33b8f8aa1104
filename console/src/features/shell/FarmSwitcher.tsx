// Shows the farm on screen and switches to another of the person's farms. With one farm there is nothing to switch.
import { Skeleton } from '@mantine/core';
import Pin from '~icon/MapPin';
import { type Farm, useFarms } from '../../api/farms';
import { later } from '../../ui/later';
import classes from './Header.module.css';

/** Until it has come, the farm on screen is named all the same. */
const FarmMenu = later(
  async () => (await import('./FarmMenu')).FarmMenu,
  ({ current }: { farms: readonly Farm[]; current: Farm }) => <Shown farm={current} />,
);

export function FarmSwitcher() {
  const { farms, current } = useFarms();
  if (!farms) return <Skeleton height={20} width="min(11rem, 100%)" aria-hidden />;
  if (!current) return null;
  return farms.length === 1 ? <Shown farm={current} /> : <FarmMenu farms={farms} current={current} />;
}

function Shown({ farm }: { farm: Farm }) {
  return (
    <div className={classes['switcher']}>
      <Pin size={22} aria-hidden />
      <FarmNames farm={farm} />
    </div>
  );
}

export function FarmNames({ farm }: { farm: Farm }) {
  return (
    <span className={classes['names']}>
      {/* The space is heard, not seen: the two are one name. */}
      <span className={classes['farmName']}>{farm.name}</span>{' '}
      {farm.location && <span className={classes['place']}>{farm.location}</span>}
    </span>
  );
}
