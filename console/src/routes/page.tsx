// A page inside the main layout: of the chosen farm, or still to come.
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { type FarmPageProps, useFarms } from '../api/farms';
import { may } from '../api/permissions';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';
import type { Page } from '../pages';
import { Notice } from '../ui/Notice';

/** A page, given the farm that is chosen. */
export function ofFarm(Shown: ComponentType<FarmPageProps>, { permission }: Page): ComponentType {
  return function OfFarm() {
    const { current } = useFarms();
    if (!current) return <WaitingForFarm />;
    const { id, role } = current;
    const writes = permission !== undefined && may(role, permission);
    // A farm of its own key: nothing of the last farm stays on screen.
    return <Shown key={id} farm={current} farmId={id} role={role} writes={writes} />;
  };
}

/** A page that has nothing to show yet: it says so, and shows no invented data. */
export function coming({ title }: Page): ComponentType {
  return function Coming() {
    const { t } = useTranslation();
    return (
      <Notice title={t(title)} text={t('app.coming')}>
        <Link to="/dashboard">{t('app.backToDashboard')}</Link>
      </Notice>
    );
  };
}
