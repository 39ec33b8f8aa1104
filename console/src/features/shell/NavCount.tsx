// How many things of an item of the menu need attention, as far as what is on screen tells it anyway: nothing is asked for it.
import { VisuallyHidden } from '@mantine/core';
import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { type ComponentType, useEffect, useReducer } from 'react';
import { useTranslation } from 'react-i18next';
import { summaryQuery } from '../../api/queries';
import { OLD_MS, verdictQuery } from '../../api/verdict';
import { useFormat } from '../../i18n/format';
import { useLanguage } from '../../i18n/i18n';
import { notificationsQuery } from './notifications';
import classes from './SideNav.module.css';
import type { NavId } from './tree';

interface OfFarm {
  farmId: string;
}

/** What a query found for somebody else; undefined once it is too old to be of now. */
function useFound<Data, Key extends readonly unknown[]>(
  query: UseQueryOptions<Data, Error, Data, Key>,
): Data | undefined {
  const { data, dataUpdatedAt } = useQuery({ ...query, enabled: false });
  const [, look] = useReducer((looks: number) => looks + 1, 0);
  const left = dataUpdatedAt + OLD_MS - Date.now();
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(look, left + 1);
    return () => clearTimeout(timer);
  }, [left]);
  return left > 0 ? data : undefined;
}

function Houses({ farmId }: OfFarm) {
  const verdict = useFound(verdictQuery(farmId));
  const isWell = (word: string) => word === 'well' || word === 'not_set_up';
  return (
    <Count of={verdict?.houses.filter((house) => !isWell(house.verdict)).length} says="nav.count.houses" />
  );
}

function Tasks({ farmId }: OfFarm) {
  return <Count of={useFound(summaryQuery(farmId))?.overdueTasks} says="nav.count.tasks" />;
}

function Notifications({ farmId }: OfFarm) {
  const found = useFound(notificationsQuery(farmId, useLanguage()));
  return <Count of={found?.unread} says="nav.count.notifications" />;
}

const counted: Readonly<Record<NavId, ComponentType<OfFarm>>> = {
  polyhouses: Houses,
  tasks: Tasks,
  notifications: Notifications,
};

export function NavCount({ id, farmId }: { id: NavId; farmId: string | undefined }) {
  const Counted = counted[id];
  return farmId !== undefined && Counted ? <Counted farmId={farmId} /> : null;
}

interface CountProps {
  of: number | null | undefined;
  says: 'nav.count.houses' | 'nav.count.tasks' | 'nav.count.notifications';
}

function Count({ of: count, says }: CountProps) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!count) return null;
  const value = format.count(count);
  return (
    <>
      {' '}
      <span className={classes['count']} aria-hidden>
        {value}
      </span>
      <VisuallyHidden>{t(says, { count, value })}</VisuallyHidden>
    </>
  );
}
