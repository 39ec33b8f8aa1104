// The alert rules of the farm (spec 2.14), at /alerts and /notifications.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Add from '~icon/BellPlus';
import { useUndelivered } from '../../api/delivery';
import type { FarmPageProps } from '../../api/farms';
import { polyhousesQuery } from '../../api/queries';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { QueryState } from '../../screen/QueryState';
import { Banner } from '../../ui/Banner';
import { CardList } from '../../ui/CardList';
import { PageLayout } from '../../ui/PageLayout';
import { AlertCard } from './AlertCard';
import { AlertForm } from './AlertForm';
import classes from './Alerts.module.css';
import { inOrder, standingOf } from './alert';
import { alertsQuery, useDeleteAlert, useSetActive } from './queries';

export default function Alerts({ farm, writes: handles }: FarmPageProps) {
  const { t } = useTranslation();
  const undelivered = useUndelivered();
  const format = useFormat();
  // In the address, so that it can be linked to and the way back closes it: `?new`, or `?edit=` with an id.
  const [search, setSearch] = useSearchParams();
  const alerts = useQuery(alertsQuery(farm.id));
  const places = useQuery(polyhousesQuery(farm.id));
  const setActive = useSetActive(farm.id);
  const remove = useDeleteAlert(farm.id);
  const edited = alerts.data?.find(({ id }) => id === search.get('edit'));
  const trouble = setActive.isError
    ? failureText(t, setActive.error, t('alerts.saveFailed'))
    : remove.isError
      ? failureText(t, remove.error, t('alerts.deleteFailed'))
      : undefined;
  const raised = alerts.data?.filter((alert) => standingOf(alert) === 'raised').length ?? 0;

  return (
    <PageLayout
      title={t('alerts.title')}
      busy={alerts.isPending}
      actions={
        <>
          <Button variant="default" component={Link} to="/alerts/who-is-told">
            {t('told.title')}
          </Button>
          {handles && (
            <Button leftSection={<Add size={20} aria-hidden />} onClick={() => setSearch({ new: '' })}>
              {t('alerts.add')}
            </Button>
          )}
        </>
      }
    >
      {!handles && <Banner tone="quiet" text={t('alerts.readOnly')} />}
      {trouble && <Banner tone="bad" text={trouble} />}
      <QueryState query={alerts} failed={t('alerts.fetchFailed')} empty={t('alerts.none')}>
        {(known) =>
          known.length > 0 && (
            <>
              <p role="status" className={classes['hint']}>
                {t(raised === 0 ? 'alerts.noneRaised' : 'alerts.raisedNow', {
                  count: raised,
                  value: format.count(raised),
                })}
              </p>
              {undelivered && known.some(({ channels }) => (channels ?? []).length > 0) && (
                <p className={classes['hint']}>{t('alerts.keptInApp')}</p>
              )}
              <CardList>
                {inOrder(known, format.compare).map((alert) => (
                  <li key={alert.id}>
                    <AlertCard
                      farmId={farm.id}
                      alert={alert}
                      polyhouses={places.data}
                      busy={setActive.isPending || remove.isPending}
                      onToggle={() => {
                        remove.reset();
                        setActive.mutate(
                          { id: alert.id, isActive: !alert.isActive },
                          { onSettled: focusKeeper() },
                        );
                      }}
                      onEdit={() => setSearch({ edit: alert.id })}
                      onDelete={() => {
                        setActive.reset();
                        if (window.confirm(t('alerts.confirmDelete'))) remove.mutate(alert.id);
                      }}
                    />
                  </li>
                ))}
              </CardList>
            </>
          )
        }
      </QueryState>
      <AlertForm
        farmId={farm.id}
        opened={handles && (search.has('new') || edited !== undefined)}
        onClose={() => setSearch({}, { replace: true })}
        alert={edited}
        houses={places.data ?? []}
      />
    </PageLayout>
  );
}

/** A card that is switched off may move down the list, and its switch waits meanwhile: either loses the focus. */
function focusKeeper(): () => void {
  const at = document.activeElement;
  return () => {
    setTimeout(() => {
      if (document.activeElement === document.body && at instanceof HTMLElement) at.focus();
    });
  };
}
