// A page inside the main layout, of the chosen farm.
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { type FarmPageProps, useFarms } from '../api/farms';
import { may } from '../api/permissions';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';
import type { Page } from '../pages';
import { Notice } from '../ui/Notice';

/** A page, given the farm that is chosen. */
export function ofFarm(Shown: ComponentType<FarmPageProps>, page: Page): ComponentType {
  const { permission, sees } = page;
  return function OfFarm() {
    const { t } = useTranslation();
    const { current } = useFarms();
    if (!current) return <WaitingForFarm />;
    const { id } = current;
    const writes = permission !== undefined && may(current, permission);
    if (sees !== undefined && !may(current, sees))
      return <Notice title={t(page.title)} text={t('seen.byManagers')} />;
    // A farm of its own key: nothing of the last farm stays on screen.
    return <Shown key={id} farm={current} farmId={id} writes={writes} />;
  };
}
