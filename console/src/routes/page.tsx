// A page inside the main layout, of the chosen farm.
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { type FarmPageProps, useFarms } from '../api/farms';
import { may } from '../api/permissions';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';
import type { Page } from '../pages';
import { Notice } from '../ui/Notice';

/** A page, given the farm that is chosen. */
export function ofFarm(
  Shown: ComponentType<FarmPageProps>,
  { title, permission, sees }: Page,
): ComponentType {
  return function OfFarm() {
    const { t } = useTranslation();
    const { current } = useFarms();
    if (!current) return <WaitingForFarm />;
    const { id, role } = current;
    if (sees && !may(role, sees)) return <Notice title={t(title)} text={t('seen.byManagers')} />;
    const writes = permission !== undefined && may(role, permission);
    if (sees !== undefined && !may(role, sees))
      return <Notice title={t(page.title)} text={t('report.unseen')} />;
    // A farm of its own key: nothing of the last farm stays on screen.
    return <Shown key={id} farm={current} farmId={id} role={role} writes={writes} />;
  };
}
